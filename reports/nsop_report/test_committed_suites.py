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

# Suites that have got cases since they were measured last. Measured again, they leave this list.
NOT_YET_MEASURED_AGAIN = set()


def expanded(line):
    """The cases of a line with comma sweeps."""
    op, *keys = line.split()
    choices = [
        [f"{key}={value}" for value in values.split(",")]
        for key, values in (word.split("=", 1) for word in keys)
    ]
    return {" ".join([op, *chosen]) for chosen in itertools.product(*choices)}


def wanted(suite):
    """(case, threads) of all rows of a suite."""
    rows = {
        (case, threads)
        for one in suite["cases"]
        for case in expanded(one["case"])
        for threads in one.get("threads", [1])
    }
    if suite["report"]["template"] == "threads":  # one row for both numbers of threads
        return {(case, threads) for case, threads in rows if threads > 1}
    return rows


def shown(report):
    """(case, threads) of all rows of a report."""
    tables = [table for section in report["sections"] for table in section["tables"]]
    return {(row["case"], row["threads"]) for table in tables for row in table["rows"]}


def test_sweeps_are_expanded():
    assert expanded("nop") == {"nop"}
    assert expanded("relu n=1,2 range=-3:3") == {f"relu n={n} range=-3:3" for n in (1, 2)}


@pytest.mark.parametrize("name", COMMITTED)
def test_every_case_of_a_committed_report_is_in_it(name):
    suite = tomllib.loads(SUITES[name].read_text())
    missing = wanted(suite) - shown(model.load(GENERATED / f"{name}.json"))
    if missing and name in NOT_YET_MEASURED_AGAIN:
        pytest.skip(f"{name} was not measured again with {len(missing)} new rows: {min(missing)}")
    assert not missing


def test_the_list_of_exceptions_names_committed_reports():
    assert NOT_YET_MEASURED_AGAIN <= set(COMMITTED)


def test_github_shows_every_committed_report():
    sizes = {path.name: path.stat().st_size for path in GENERATED.glob("*.md")}
    assert sizes and {name for name, size in sizes.items() if size > pages.LIMIT} == set()
