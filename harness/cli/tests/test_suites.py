"""What bench-full measures is what the oracle says, and what its authors write holds."""

import json
import re
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cli.testing.repository_support import ROOT

SUITES = sorted(path.stem for path in (ROOT / "harness/suites").glob("*.toml"))


# Of the cases of an op and pass, the share that is checked here; a run checks each before it is
# measured.
ONE_OF = 4


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


def some_of_each(cases):
    """One of ONE_OF cases of each op and pass, the first among them."""
    alike = defaultdict(list)
    for case in cases:
        alike[tuple(word for word in case.split() if "=" not in word or "pass=" in word)].append(
            case
        )
    return [case for group in alike.values() for case in group[::ONE_OF]]


@pytest.mark.slow
def test_rows_of_every_suite_are_right(nsop):
    listed = json.loads(nsop("list", "cases", "--json").stdout)["cases"]
    cases = some_of_each(dict.fromkeys(one["case"] for one in listed))
    assert len(cases) > len(listed) / ONE_OF / 2

    def rows_of(part):
        return json.loads(nsop("verify", *part, "--json", "--quiet", timeout=3600).stdout)["rows"]

    with ThreadPoolExecutor(2) as pool:
        rows = [row for part in pool.map(rows_of, (cases[::2], cases[1::2])) for row in part]
    assert {row["case"] for row in rows} == set(cases)
    ops = {row["case"].split()[0] for row in rows if row["status"] == "ok"}
    assert {"relu", "matmul", "conv2d", "lstm", "dqn2048", "optimizer_update"} <= ops
    assert [row for row in rows if row["status"] not in ("ok", "unsupported")] == []
