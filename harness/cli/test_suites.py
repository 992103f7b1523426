"""What bench-full measures is what the oracle says: every row of every suite."""

import json

import pytest

from harness.cli.testing.repository_support import ROOT

SUITES = sorted(path.stem for path in (ROOT / "harness/suites").glob("*.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_every_row_of_a_suite_is_right(nsop, suite):
    done = nsop("verify", "--suite", suite, "--json", "--quiet", timeout=1800)
    rows = json.loads(done.stdout)["rows"]
    assert any(row["status"] == "ok" for row in rows)
    assert {row["status"] for row in rows} <= {"ok", "unsupported"}
