"""Long reports in several files: nothing is lost, links arrive, files are short enough."""

import re

import pytest

from nsop_report import pages, render


def heads(text):
    return [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]


def whole(report):
    return len(render.markdown(report).encode())


def test_a_short_report_is_one_file(report):
    assert pages.pages(report) == [(f"{report['name']}.md", render.markdown(report))]


def test_only_as_much_is_moved_as_need_be_what_stands_last_first(peers):
    (_, first), (name, second) = pages.pages(peers, limit=whole(peers) - 1)
    assert name == "frameworks-details.md"
    assert "<summary>Each measurement" not in first and "<summary>Against each peer" in first
    assert {head.split(": ", 1)[-1] for head in heads(second)[1:]} == {
        "Each measurement: noise, error, choice, command"
    }
    assert "`nsop run" in second and "`nsop run" not in first


@pytest.mark.parametrize("limit", [2_000, 12_000])
def test_every_table_is_shown_once_and_whole(report, page, limit):
    done = pages.pages(report, limit)
    tables = [t for section in report["sections"] for t in section["tables"]]
    shown = [table for _, text in done for table in page(text).tables]
    assert sum(len(table["rows"]) for table in tables) == sum(len(table) - 1 for table in shown)
    for text in (text for _, text in done[1:] if limit > 2_000):
        assert len(text.encode()) <= limit
    assert done == pages.pages(report, limit)


def test_folded_remarks_go_too_if_the_report_is_still_too_long(peers):
    done = pages.pages(peers, limit=1)
    assert "<details>" not in done[0][1]
    remarks = [text for _, text in done[1:] if render.REMARKS in text]
    section = next(s for s in peers["sections"] if render.remarks(s))
    assert render.remarks(section).strip() in remarks[0]


def test_every_link_leads_to_a_heading(peers, page):
    done = dict(pages.pages(peers, limit=4_000))
    names = list(done)
    assert names[1:3] == ["frameworks-details.md", "frameworks-details-2.md"]
    links = [link for link in page(done[names[0]]).hrefs if ".md" in link]
    assert len(links) > 2
    for file, anchor in (link.split("#") for link in links):
        assert anchor in [
            re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads(done[file])
        ]
    for name in names[1:]:
        assert "frameworks.md" in page(done[name]).hrefs


def test_hostile_titles_stay_inert_in_further_files(peers, page):
    evil = "</details><script>alert(1)</script> | `x` [a](http://evil.example) @team\n# b"
    peers["title"] = peers["run"]["id"] = evil
    for section in peers["sections"]:
        section["title"] = evil
        for table in section["tables"]:
            table["title"] = evil
    for _, text in pages.pages(peers, limit=9_000):
        shown = page(text)
        assert "script" not in shown.tags
        assert not any("evil.example" in link for link in shown.hrefs if not link.endswith(".svg"))


def test_details_of_an_earlier_longer_report_are_left_over(peers, tmp_path):
    written = pages.pages(peers, limit=4_000)
    for name, text in written:
        (tmp_path / name).write_text(text)
    (tmp_path / "frameworks-details-9.md").write_text("mine")
    (tmp_path / "other-details.md").write_text(written[1][1])
    assert pages.left_over(peers, tmp_path, dict(written)) == []
    assert pages.left_over(peers, tmp_path, {"frameworks.md"}) == sorted(dict(written[1:]))
