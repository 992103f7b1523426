"""What is said once: a text that comes again is an ellipsis, a number or a letter."""

import copy

import pytest

from nsop_report import pages, render, terse
from nsop_report.test_invariants import ALL, GENERATED, page_of

PUBLISHED = "What other systems published of these cases"


def table(ids, *rows, title="", collapsed=True):
    columns = [{"id": name, "label": name, "align": "left"} for name in ids]
    return {
        "title": title,
        "collapsed": collapsed,
        "columns": columns,
        "rows": [
            {
                "label": row[0],
                "case": row[0],
                "threads": 1,
                "notes": [],
                "cells": [{"kind": "code", "value": text, "text": text} for text in row],
            }
            for row in rows
        ],
    }


def section(title, *tables, notes=()):
    return {"title": title, "notes": list(notes), "plots": [], "tables": list(tables)}


def shown(*sections, left_out=()):
    roles = {"before": "", "after": "hwy"}
    return terse.shown({"roles": roles, "sections": list(sections), "footer": []}, left_out)


def texts(report):
    [section] = report["sections"]
    return [[cell["text"] for cell in row["cells"]] for row in section["tables"][0]["rows"]]


def test_a_note_of_many_sections_is_said_once_with_where_it_holds():
    few, many = "of three sections", "of four"
    sections = [section(f"S{n}", notes=[few, many] if n < 3 else [many, "own"]) for n in range(4)]
    report = shown(*sections)
    assert [one["notes"] for one in report["sections"]] == [[few], [few], [few], ["own"]]
    assert report["footer"] == [{"label": "S0; S1; S2 and 1 more", "text": many}]


def test_a_case_that_the_row_above_has_is_an_ellipsis_and_is_explained():
    rows = [("Add", "add n=1000"), ("Add", "add n=1000"), ("Add", "add n=2000")]
    report = shown(section("", table(["row", "case"], *rows, collapsed=False)))
    assert texts(report) == [["Add", "add n=1000"], ["Add", "…"], ["Add", "add n=2000"]]
    assert report["footer"] == [{"label": "…", "text": "what the row above says"}]


def test_so_is_a_kernel_that_has_a_row_for_every_size():
    rows = [("Conv2D Forward", "100"), ("Conv2D Forward", "200"), ("Conv2D Backward", "100")]
    report = shown(section("", table(["series", "macs"], *rows, collapsed=False)))
    assert texts(report) == [["Conv2D Forward", "100"], ["…", "200"], ["Conv2D Backward", "100"]]


def test_folded_tables_name_a_row_once_too():
    one = table(["row", "goal"], ("Add n=1", "a"), ("Add n=1", "a"), title="Long")
    assert texts(shown(section("", one))) == [["Add n=1", "a"], ["…", "a"]]
    assert shown(section("", one), left_out=["Long"])["footer"] == []
    short = table(["row"], ("n/a",), ("n/a",), ("Add",), ("Add",))
    assert [row[0] for row in texts(shown(section("", short)))] == ["n/a", "n/a", "Add", "Add"]


def test_what_authors_say_again_is_its_number():
    rows = [("Slow. (1)",), ("Slow. (1)",), ("none given",), ("none given",), ("Slow. (1), (2)",)]
    report = shown(section("", table(["why"], *rows), notes=[]))
    assert [row[0] for row in texts(report)] == [
        "Slow. (1)",
        "(1)",
        "none given",
        "none given",
        "Slow. (1), (2)",
    ]


@pytest.mark.parametrize(
    "patterns, said",
    [
        ("add n=1; add n=2; add n=3", "add n=1,2,3"),
        ("add n=1; sum n=1; sum n=2", "add n=1; sum n=1,2"),
        ("add n=1; add n=*", "add n=1; add n=*"),
        ("conv in=1 k=3; conv in=2 k=3", "conv in=1 k=3; conv in=2 k=3"),
        ("tanh; relu", "tanh; relu"),
        ("tanh pass=forward", "tanh pass=forward"),
        ("*", "*"),
    ],
)
def test_patterns_are_written_as_in_a_suite(patterns, said):
    assert terse.swept(patterns) == said


def test_long_texts_of_what_others_published_are_letters_that_the_list_spells_out():
    machine, source = "A machine with a long name", "A system, and which version of it it was"
    rows = [(source, machine, f"own {n}; in an unknown range of values") for n in range(3)]
    rows += [("Another", machine, "own 3")]
    report = shown(section("", table(["source", "machine", "note"], *rows, title=PUBLISHED)))
    assert texts(report) == [
        *(["(a)", "(b)", f"own {n}; (c)"] for n in range(3)),
        ["Another", "(b)", "own 3"],
    ]
    assert report["sections"][0]["tables"][0]["notes"] == [
        f"(a) {source}",
        f"(b) {machine}",
        "(c) in an unknown range of values",
    ]


def test_more_texts_than_letters_have_two_each():
    rows = [(f"A source with a long name, number {n}",) for n in range(30) for _ in range(2)]
    [one] = shown(section("", table(["source"], *rows, title=PUBLISHED)))["sections"]
    notes = one["tables"][0]["notes"]
    assert notes[25].startswith("(z) ") and notes[26].startswith("(aa) ") and len(notes) == 30


def test_the_report_stays_as_it_was(conv):
    before = copy.deepcopy(conv)
    terse.shown(conv)
    assert conv == before


def test_a_cell_that_ends_in_a_backslash_keeps_its_bar(conv, page):
    row = conv["sections"][0]["tables"][0]["rows"][0]
    row["cells"][0]["text"] = "ends in \\"
    shown = page(render.markdown(conv)).tables[0]
    assert shown[1][0] == "ends in \\" and len(shown[1]) == len(shown[0])


COMMITTED = [name for name in ALL if name.startswith(f"{GENERATED.name}/")]


# Pages too full for the published numbers: they name the table among what only the JSON holds.
PUBLISHED_IN_JSON = [f"{GENERATED.name}/sweeps", f"{GENERATED.name}/threads"]


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_page_shows_remarks_and_what_others_published(name):
    report = ALL[name]
    page = page_of(report)
    folded = [table["title"] for one in report["sections"] for table in one["tables"]]
    for title in {title for title in folded if title.startswith(terse.PUBLISHED)}:
        assert (f"<summary>{title}</summary>" in page) == (name not in PUBLISHED_IN_JSON)
        assert title in page
    if render.in_one_list(report):
        assert f"<summary>{render.REMARKS}" in page or f"<summary>{render.IN_ONE_LIST}" in page
    assert len(page.encode()) <= pages.LIMIT


def compared(verdict):
    """A report of one row whose time differs by so much from the previous run's."""
    cell = {"kind": "ratio", "value": 1.25, "text": "20.0 % less time", "verdict": verdict}
    one = table(["case", "previous"], ("add n=1000", ""), collapsed=False)
    one["rows"][0]["cells"][1] = cell
    return section("", one)


@pytest.mark.parametrize("verdict", ["better", "same", "worse", "inconclusive"])
def test_what_decides_nothing_about_the_previous_run_may_be_a_word(verdict):
    whole, short = (
        shown(compared(verdict), left_out=left_out) for left_out in ((), [terse.UNDECIDED])
    )
    assert texts(whole) == [["add n=1000", "20.0 % less time"]]
    word = verdict if verdict == "inconclusive" else "20.0 % less time"
    assert texts(short) == [["add n=1000", word]]
    report = {"sections": [compared(verdict)]}
    assert terse.has_undecided(report) == (verdict == "inconclusive")
