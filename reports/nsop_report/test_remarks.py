"""Remarks by cause: said once, with the range of their numbers, and none is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsop_report import remarks, render
from nsop_report.test_invariants import ALL

WIDE = "interval +/-{} % is wider than the margin {} %: needs about {} more rounds"


def section(*notes):
    """A section with a row for each (row, kind, who, text)."""
    rows = [
        {"label": row, "notes": [{"kind": kind, "who": who, "text": text}]}
        for row, kind, who, text in notes
    ]
    return {"title": "", "notes": [], "tables": [{"rows": rows}]}


def texts(*notes):
    return [cause["text"] for cause in remarks.causes(section(*notes))]


def test_equal_remarks_are_said_once():
    notes = [(row, "doubt", "hwy@AVX2", "busy") for row in "ABCDA"]
    assert remarks.causes(section(*notes)) == [
        {
            "kind": "doubt",
            "text": "busy",
            "count": 4,
            "rows": ["A", "B", "C", "D"],
            "who": "hwy@AVX2",
            "failed": False,
        }
    ]
    assert render.remarks_of(section(*notes)) == (
        "- **doubt**, 4 times: busy. In (hwy@AVX2): A; B; C and 1 more\n"
    )


def test_remarks_that_differ_in_numbers_are_one_with_their_ranges():
    wide = [WIDE.format(*numbers) for numbers in (("26.5", 3, 7), ("3.1", 3, 50), ("9", 6, 8))]
    notes = [(row, "inconclusive", "vs previous run", text) for row, text in zip("ABC", wide)]
    assert texts(*notes) == [WIDE.format("3.1 to +/-26.5", 3, "7 to 50"), wide[2]]
    crossed = "interval {} % crosses the margin 3 %"
    ends = [crossed.format("-3.1 .. +2.0"), crossed.format("-9.9 .. -2.8")]
    notes = [(row, "inconclusive", "Speedup", text) for row, text in zip("AB", ends)]
    assert texts(*notes) == [crossed.format("within -9.9 .. +2.0")]
    taken = ["6 invocations instead of 10: one takes {} s".format(s) for s in ("5.1", "2", "1.5")]
    notes = [(row, "note", "elementwise@x86-64", text) for row, text in zip("ABC", taken)]
    assert texts(*notes) == ["6 invocations instead of 10: one takes 1.5 to 5.1 s"]
    bytes_of = ["made {} B more".format(count) for count in ("126", "1,617,920", "4,096")]
    notes = [(row, "note", "a@b", text) for row, text in zip("ABC", bytes_of)]
    assert texts(*notes) == ["made 126 to 1,617,920 B more"]


def test_names_versions_and_powers_are_no_numbers():
    for pair in (("conv1d", "conv2d"), ("512^3", "513^3"), ("x86-64", "x86-65"), ("3e-6", "4e-6")):
        notes = [(row, "note", "a@b", f"is for {word}") for row, word in zip("AB", pair)]
        assert texts(*notes) == [f"is for {word}" for word in pair]


def test_what_a_library_lacks_is_one_list():
    ops = ["conv2d", "conv1d", "conv2d"]
    notes = [
        (row, "unsupported", f"{peer}@none", f"{peer} has no {op}")
        for row, op in zip("ABC", ops)
        for peer in ("openblas", "eigen")
    ]
    first, second = remarks.causes(section(*notes))
    assert [first["text"], second["text"]] == [
        "openblas lacks: conv2d, conv1d",
        "eigen lacks: conv2d, conv1d",
    ]
    assert (first["count"], first["rows"], first["who"]) == (3, ["A", "B", "C"], "")
    one = ("A", "unsupported", "numpy@1.0", "NumPy runs relu on one thread only")
    two = ("B", "unsupported", "numpy@1.0", "NumPy runs tanh on one thread only")
    assert texts(one) == [one[3]]
    assert texts(one, two) == ["NumPy runs on one thread only: relu, tanh"]


def test_failures_are_said_each_in_full():
    notes = [(row, "wrong", "a@b", f"y[{row}] is {row}, expected 1") for row in ("3", "4")]
    assert texts(*notes) == [note[3] for note in notes]
    assert all(cause["failed"] for cause in remarks.causes(section(*notes)))


def all_notes(section):
    return {
        (note["kind"], note["text"], row["label"], note["who"])
        for table in section["tables"]
        for row in table["rows"]
        for note in row["notes"]
    }


@pytest.mark.parametrize("name", ALL)
def test_no_remark_is_lost_in_the_counts(name):
    sections = [
        *ALL[name]["sections"],
        {"tables": [t for s in ALL[name]["sections"] for t in s["tables"]]},
    ]
    for one in sections:
        notes, causes = all_notes(one), remarks.causes(one)
        assert sum(cause["count"] for cause in causes) == len(notes)
        for kind, text, row, who in notes:
            named = {row, f"{row} ({who})"}
            assert any(c["kind"] == kind and named & set(c["rows"]) for c in causes), text


number = st.integers(0, 9999).map("{:,}".format) | st.floats(0, 999).map("{:.1f}".format)
told = st.tuples(st.sampled_from("ABCDE"), st.sampled_from(["hwy@AVX2", "a vs b"]), number, number)


@given(st.lists(told, min_size=1))
def test_every_number_lies_in_its_range_and_every_row_is_named(drawn):
    notes = [(row, "doubt", who, f"took {a} s of {b} s") for row, who, a, b in drawn]
    [cause] = remarks.causes(section(*notes))
    assert cause["count"] == len(set(notes))
    assert {row[0] for row in cause["rows"]} == {note[0] for note in notes}
    said = re.fullmatch(r"took (\S+)(?: to (\S+))? s of (\S+)(?: to (\S+))? s", cause["text"])
    ends = [float(end.replace(",", "")) if end else None for end in said.groups()]
    for _, _, a, b in drawn:
        for value, low, high in ((a, *ends[:2]), (b, *ends[2:])):
            value = float(value.replace(",", ""))
            assert low <= value <= (low if high is None else high)
