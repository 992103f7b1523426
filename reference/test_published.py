"""The published values of other systems are of cases that our suites measure, and say whose."""

import csv
import itertools
import pathlib
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "reference/published").glob("*.csv"))


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expanded(line):
    """The cases of a suite's line: a comma makes several."""
    op, *words = line.split()
    values = [[f"{key}={one}" for one in value.split(",")] for key, value in map(split, words)]
    return {(op, *sorted(choice)) for choice in itertools.product(*values)}


def split(word):
    key, _, value = word.partition("=")
    return key, value


@pytest.fixture(scope="module")
def measured():
    """{case: variants of the suites that measure it}; `after` and `before` where they have one."""
    found = {}
    for path in (ROOT / "harness/suites").glob("*.toml"):
        suite = tomllib.loads(path.read_text(encoding="utf-8"))
        report = suite["report"]
        if report["form"] == "tracking":
            continue
        names = {role for role in ("before", "after") if report.get(role)}
        names |= {*report.get("also", []), *report.get("peers", []), report.get("before", "")}
        names |= {f"{report.get('after')}@{target}" for target in report.get("targets", [])}
        for case in suite["cases"]:
            for text in expanded(case["case"]):
                found.setdefault(text, set()).update(names)
    return found


def test_there_are_sources():
    assert {path.stem for path in FILES} == {"axon", "easyrobot", "tenflowers", "trueno"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_value_is_of_a_case_of_a_suite_and_stands_beside_a_variant_of_it(path, measured):
    for row in rows(path):
        (case,) = expanded(row["case"])
        assert case in measured, row["case"]
        assert row["here"] in measured[case], row


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_value_stands_twice(path):
    names = ("version", "case", "role", "ns_per_op", "metric", "value")
    seen = [tuple(row[name] for name in names) for row in rows(path)]
    assert len(seen) == len(set(seen))


def test_what_was_never_measured_says_so():
    own = [
        row for row in rows(ROOT / "reference/published/tenflowers.csv") if row["here"] == "after"
    ]
    assert own and all("never measured" in row["note"] for row in own)


def test_each_case_of_truenos_log_stands_on_all_four_instruction_sets():
    found = {}
    for row in rows(ROOT / "reference/published/trueno.csv"):
        if row["document"].endswith("baseline-current.txt"):
            found.setdefault(row["case"], {})[row["here"]] = float(row["ns_per_op"])
    assert len(found) == 15
    for case, times in found.items():
        assert set(times) == {"hwy@SCALAR", "hwy@SSE4", "hwy@AVX2", "after"}, case
    assert found["dot n=1000"]["hwy@SCALAR"] > 3 * found["dot n=1000"]["hwy@SSE4"]
