"""What bench-full measures is what the oracle says: every row of every suite."""

import json

import pytest

from harness.cli.testing.repository_support import ROOT

SUITES = sorted(path.stem for path in (ROOT / "harness/suites").glob("*.toml"))


@pytest.mark.slow
def test_every_row_of_every_suite_is_right(nsop):
    words = [word for suite in SUITES for word in ("--suite", suite)]
    done = nsop("verify", *words, "--json", "--quiet", timeout=3600)  # a row of several suites once
    rows = json.loads(done.stdout)["rows"]
    ops = {row["case"].split()[0] for row in rows if row["status"] == "ok"}
    assert {"relu", "matmul", "conv2d", "lstm", "dqn2048", "optimizer_update"} <= ops
    assert [row for row in rows if row["status"] not in ("ok", "unsupported")] == []
