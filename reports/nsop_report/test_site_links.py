"""Links from rows to their cases: each case once, by its text, harmless whatever a name says."""

import copy
import json

import pytest

from nsop_report import gate, model, pages, render, site_links
from nsop_report.conftest import TESTDATA, load_report, read_markdown
from nsop_report.errors import ReportError

SITE = "https://example.org/perf"


def with_site(report, site=SITE):
    return {**copy.deepcopy(report), "site": site}


def gate_model():
    return json.loads((TESTDATA / "gate.json").read_text())


def open_cases(report):
    return {
        row["case"]
        for section in report["sections"]
        for table in section["tables"]
        if not table["collapsed"]
        for row in table["rows"]
        if row.get("case")
    }


def test_a_case_has_the_address_that_the_site_gives_it():
    # The same case and digits are in harness/report/site/site_links_test.cpp.
    assert site_links.of_case("site", "relu n=1024") == "site/case/384ea047a18b.html"


def test_every_open_case_is_linked_once(report):
    shown = read_markdown(render.markdown(with_site(report)))
    cases = [href for href in shown.hrefs if href.startswith(f"{SITE}/case/")]
    assert len(cases) == len(set(cases))
    assert set(cases) <= {site_links.of_case(SITE, case) for case in open_cases(report)}
    assert bool(cases) == bool(open_cases(report))


def test_the_page_says_where_the_links_lead():
    served = render.markdown(with_site(load_report("peers")))
    assert f"[offline site]({SITE}/index.html)" in served and "make site" not in served
    local = render.markdown(with_site(load_report("peers"), "../../build/site"))
    assert "[offline site](../../build/site/index.html)" in local and "`make site`" in local


def test_links_change_no_text(report):
    plain, linked = (read_markdown(render.markdown(one)) for one in (report, with_site(report)))
    assert linked.tables == plain.tables


def test_a_page_that_is_too_long_keeps_the_first_link():
    report = with_site(load_report("peers"))
    whole = len(pages.page(report))
    kept = pages.page(report, limit=whole // 3)
    first = [row for row in report["sections"][0]["tables"][0]["rows"] if row["case"]][0]
    linked = [href for href in read_markdown(kept).hrefs if "/case/" in href]
    assert linked == [site_links.of_case(SITE, first["case"])]
    assert site_links.MOST in kept.partition("Left to")[2]


@pytest.mark.parametrize("name", ["a](http://evil.example)", "]", "\\", "[x][y]", "a\\]b", "`"])
def test_a_name_ends_no_link(name):
    report = with_site(load_report("peers"))
    row = report["sections"][0]["tables"][0]["rows"][0]
    row["cells"][0] = {"kind": "text", "value": name, "text": name}
    page = read_markdown(render.markdown(report))
    assert site_links.of_case(SITE, row["case"]) in page.hrefs
    assert not [href for href in page.hrefs if "evil" in href]
    assert page.tables[0][1][0] == name


def test_a_gate_links_its_cases_but_new_ones():
    model_of_gate = gate_model()
    page = read_markdown(gate.markdown(with_site(model_of_gate)))
    rows = [row["cells"] for row in model_of_gate["all"]["rows"]]
    assert {cells[0]["text"] for cells in rows} & {"new"}
    for cells in rows:
        linked = site_links.of_case(SITE, cells[1]["text"]) in page.hrefs
        assert linked == (cells[0]["text"] != "new")
    assert page.tables == read_markdown(gate.markdown(model_of_gate)).tables


@pytest.mark.parametrize("site", ["", "a b", "x)y", "javascript:alert", "x\n", 7, None])
def test_a_site_that_is_none_is_refused(site):
    with pytest.raises(ReportError, match="site"):
        model.checked(with_site(load_report("peers"), site), "x.json")
    with pytest.raises(ReportError, match="site"):
        gate.checked(with_site(gate_model(), site), "x.json")
