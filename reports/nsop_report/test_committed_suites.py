"""Committed reports show every case of their suites, on all numbers of threads that it asks for."""

import itertools
import pathlib
import tomllib

import pytest

from nsop_report import model, pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = ROOT / "reports/generated"
SUITES = {path.stem: path for path in (ROOT / "harness/suites").glob("*.toml")}
COMMITTED = sorted(name for name in SUITES if (GENERATED / f"{name}.json").is_file())

NEW = "new"  # the tag of cases that were added since their suite was measured last


def expanded(line):
    """The cases of a line with comma sweeps."""
    op, *keys = line.split()
    choices = [
        [f"{key}={value}" for value in values.split(",")]
        for key, values in (word.split("=", 1) for word in keys)
    ]
    return {" ".join([op, *chosen]) for chosen in itertools.product(*choices)}


def wanted(suite, new=False):
    """(case, threads) of all rows of a suite that are not tagged as new, or of those that are."""
    rows = {
        (case, threads)
        for one in suite["cases"]
        if (NEW in one.get("tags", [])) == new
        for case in expanded(one["case"])
        for threads in one.get("threads", [1])
    }
    if suite["report"]["form"] == "threads":  # one row for both numbers of threads
        return {(case, threads) for case, threads in rows if threads > 1}
    return rows


def shown(report):
    """(case, threads) of all rows of a report."""
    tables = [table for section in report["sections"] for table in section["tables"]]
    return {(row["case"], row["threads"]) for table in tables for row in table["rows"]}


def test_sweeps_are_expanded():
    assert expanded("nop") == {"nop"}
    assert expanded("relu n=1,2 range=-3:3") == {f"relu n={n} range=-3:3" for n in (1, 2)}


def test_new_cases_are_told_apart():
    suite = {
        "report": {"form": "peers"},
        "cases": [{"case": "nop n=1,2"}, {"case": "nop n=3", "tags": ["quick", "new"]}],
    }
    assert wanted(suite) == {("nop n=1", 1), ("nop n=2", 1)}
    assert wanted(suite, new=True) == {("nop n=3", 1)}


@pytest.mark.parametrize("name", COMMITTED)
def test_every_case_of_a_committed_report_is_in_it(name):
    suite = tomllib.loads(SUITES[name].read_text())
    rows = shown(model.load(GENERATED / f"{name}.json"))
    assert not wanted(suite) - rows, "measure the suite again, or tag what is new as `new`"
    assert not wanted(suite, new=True) & rows, "measured by now: these are no longer `new`"


def test_every_committed_page_can_be_read_to_its_end():
    """Those that were measured before pages were short may be as long as GitHub shows."""
    longest = {}
    for path in GENERATED.glob("*.json"):
        page, new = path.with_suffix(".md"), '"headline"' in path.read_text()
        if page.is_file():
            longest[page.name] = page.stat().st_size, pages.LIMIT if new else 400_000
    assert longest and {name: s for name, s in longest.items() if s[0] > s[1]} == {}
