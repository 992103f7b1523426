"""What bench-full measures is what the oracle says: every row of every suite."""

import json
import re
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cli.testing.repository_support import ROOT

SUITES = sorted(path.stem for path in (ROOT / "harness/suites").glob("*.toml"))


# Two at a time; a row of several suites of one group is looked at once.
GROUPS = (
    [suite for suite in SUITES if suite.startswith("frameworks") or suite == "matched"],
    [suite for suite in SUITES if not suite.startswith("frameworks") and suite != "matched"],
)


@pytest.mark.parametrize("suite", SUITES)
def test_a_reason_says_what_takes_the_time_and_not_how_a_row_compares(suite):
    """That is measured each time: a reason that says it will contradict a verdict one day."""
    compared = re.compile(r"as fast as|alike|like the best|(both|either) sides?|for both|one rate")
    with open(ROOT / f"harness/suites/{suite}.toml", "rb") as file:
        reasons = tomllib.load(file).get("reasons", [])
    assert [r["why"] for r in reasons if compared.search(r["why"])] == []


@pytest.mark.parametrize("suite", SUITES)
def test_what_authors_say_does_not_rest_on_cells_that_the_page_may_not_show(suite):
    """A share of the limit may be in doubt, and a table be left to the JSON."""
    cited = re.compile(r"column [A-Z]|[Aa] column|the column|its limit")
    with open(ROOT / f"harness/suites/{suite}.toml", "rb") as file:
        parsed = tomllib.load(file)
    said = [parsed["report"].get("about", "")]
    said += [case.get("note", "") for case in parsed["cases"]]
    said += [reason[key] for reason in parsed.get("reasons", []) for key in reason if key == "why"]
    assert [text for text in said if cited.search(text)] == []


@pytest.mark.slow
def test_every_row_of_every_suite_is_right(nsop):
    def rows_of(suites):
        words = [word for suite in suites for word in ("--suite", suite)]
        return json.loads(nsop("verify", *words, "--json", "--quiet", timeout=3600).stdout)["rows"]

    with ThreadPoolExecutor(len(GROUPS)) as pool:
        rows = [row for group in pool.map(rows_of, GROUPS) for row in group]
    ops = {row["case"].split()[0] for row in rows if row["status"] == "ok"}
    assert {"relu", "matmul", "conv2d", "lstm", "dqn2048", "optimizer_update"} <= ops
    assert [row for row in rows if row["status"] not in ("ok", "unsupported")] == []
