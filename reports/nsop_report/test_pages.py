"""A report is one page that is short enough to be read; what it leaves out is named."""

import pytest

from nsop_report import pages, render, terse
from nsop_report.conftest import load_report

DETAILS = "Each measurement: noise, error, choice, command"


def titles(text):
    """Titles of the folded parts of a page."""
    return [part.split("</summary>")[0] for part in text.split("<details><summary>")[1:]]


def size(text):
    return len(text.encode())


def test_a_short_report_is_whole(report):
    assert pages.page(report) == render.markdown(report)
    assert "Left to" not in pages.page(report)


def test_only_as_much_is_left_out_as_need_be_details_first(peers):
    whole = render.markdown(peers)
    page = pages.page(peers, limit=size(whole) - 1)
    assert DETAILS in titles(whole) and DETAILS not in titles(page)
    assert "Against each peer" in titles(page)
    assert f"**Left to frameworks.json**, to keep this page short: {DETAILS}" in page


@pytest.mark.parametrize("limit", [1, 6_000])
def test_what_is_not_folded_stays_and_all_that_is_left_out_is_named(report, page, limit):
    text = pages.page(report, limit=limit)
    tables = [t for s in terse.shown(report)["sections"] for t in s["tables"]]
    shown = {tuple(table[0]) for table in page(text).tables}
    for table in tables:
        head = tuple(column["label"] for column in table["columns"])
        named = table["collapsed"] and table["title"] not in titles(text)
        assert head in shown or (named and table["title"] in text.split("**Left to")[1])
    assert text == pages.page(report, limit=limit)


def test_remarks_go_last(peers):
    assert render.REMARKS in titles(render.markdown(peers))
    short = pages.page(peers, limit=1)
    assert titles(short) == []
    assert short.split("to keep this page short: ")[1].strip().endswith(render.REMARKS)


def test_details_that_earlier_versions_wrote_are_left_over(peers, tmp_path):
    (tmp_path / "frameworks-details.md").write_text(pages.DETAILS + "\n# more\n")
    (tmp_path / "frameworks-details-2.md").write_text("mine")
    (tmp_path / "other-details.md").write_text(pages.DETAILS + "\n")
    assert pages.left_over(peers, tmp_path) == ["frameworks-details.md"]


def test_plots_that_the_page_no_longer_shows_are_left_over(peers, tmp_path):
    (tmp_path / "frameworks.md").write_text(render.markdown(peers))
    plots = [render.plot_name(peers, plot) for s in peers["sections"] for plot in s["plots"]]
    for name in [*plots, "frameworks-mine.svg", "conv-all.svg"]:
        (tmp_path / name).write_text("<svg/>")
    assert pages.left_over(peers, tmp_path) == []
    gone = render.plot_name(peers, peers["sections"][0]["plots"].pop())
    assert pages.left_over(peers, tmp_path) == [gone]


PUBLISHED = "What other systems published of these cases"


def part(title, size_of):
    """A folded table of about so many bytes."""
    columns = [{"id": "a", "label": "A", "align": "left"}]
    texts = ["x" * min(500, size_of - at) for at in range(0, size_of, 500)]
    cells = [[{"kind": "text", "value": text, "text": text}] for text in texts]
    row = {"label": "A", "case": "nop", "threads": 1, "notes": []}
    rows = [{**row, "cells": line} for line in cells]
    return {"title": title, "collapsed": True, "columns": columns, "rows": rows}


def with_parts(report, *parts):
    """The report with one section more, of folded tables alone."""
    section = {"title": "More", "notes": [], "plots": [], "tables": list(parts)}
    return {**report, "sections": [*report["sections"], section]}


def without_folded(report):
    sections = [
        {**s, "tables": [t for t in s["tables"] if not t["collapsed"]]} for s in report["sections"]
    ]
    return {**report, "sections": sections}


def test_the_most_wanted_stays_longest_and_the_rest_fills_the_room(conv):
    fresh = "What new memory for the results of each call costs"
    order = [PUBLISHED, fresh, DETAILS, "Long"]
    parts = dict(zip(order, (900, 950, 1_000, 3_000)))
    report = with_parts(without_folded(conv), *(part(t, parts[t]) for t in reversed(order)))
    for section in report["sections"]:
        for row in (row for table in section["tables"] for row in table["rows"]):
            row["notes"] = []
    base = size(pages.page(report, limit=1))
    for count, room in enumerate((800, 1_200, 2_200, 3_300, 6_500)):
        assert set(titles(pages.page(report, limit=base + room))) == set(order[:count])


def test_details_come_back_where_a_longer_part_left_room(conv):
    report = with_parts(without_folded(conv), part("Long", 30_000), part(DETAILS, 300))
    text = pages.page(report, limit=size(render.markdown(report)) - 20_000)
    assert DETAILS in titles(text) and "Long" not in titles(text)
    assert "to keep this page short: Long\n" in text


def test_no_heading_stands_alone(report):
    for limit in (1, 6_000, 20_000):
        lines = [line for line in pages.page(report, limit=limit).splitlines() if line]
        alone = [
            line
            for line, after in zip(lines, [*lines[1:], "## "])
            if line.startswith("#")
            and after.startswith("#" * (len(line) - len(line.lstrip("#"))) + " ")
        ]
        assert alone == []


def test_a_section_of_values_that_are_left_out_is_left_out():
    report = load_report("published")
    assert f"\n## {render.PUBLISHED}\n" in render.markdown(report)
    short = pages.page(report, limit=1)
    assert (
        render.PUBLISHED not in short and PUBLISHED in short.split("to keep this page short: ")[1]
    )


def test_a_page_without_remarks_points_to_the_file(conv):
    assert "the remarks marked **doubt** say why" in render.markdown(conv)
    short = pages.page(conv, limit=1).split("**Left to")[0]
    assert "remarks" not in short and "why is in conv.json, among the notes of its row" in short


def test_remarks_that_are_too_long_by_section_are_one_list(conv):
    report = without_folded(conv)
    for section in report["sections"][:2]:
        for row in section["tables"][0]["rows"]:
            row["notes"].append({"kind": "doubt", "who": "hwy@AVX2", "text": "busy " + "y" * 900})
    text = pages.page(report, limit=size(render.markdown(report)) - 200)
    assert titles(text) == [render.IN_ONE_LIST] and text.count("busy yyy") == 1
    assert "the remarks marked **doubt** say why" in text and "**Left to" not in text
