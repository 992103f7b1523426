"""A report is one page that is short enough to be read; what it leaves out is named."""

import pytest

from nsop_report import pages, render

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
    tables = [t for s in render.summaries_last(report) for t in s["tables"]]
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
