"""Hostile names stay inert: on every page, in data inside pages, and in data scripts."""

import json
import os
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsop_report.site import build, index, rows, text
from nsop_report.site.cells import VERDICTS, Cells
from nsop_report.site.conftest import Page, make
from nsop_report.site.testing import model_support

HOSTILE = model_support.HOSTILE
METHODS = set(model_support.METHODS)
ANY = st.text(alphabet=st.characters(), max_size=80)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    lines = model_support.model(len(HOSTILE), hostile=True)
    return make(tmp_path_factory.mktemp("hostile"), lines)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return make(tmp_path_factory.mktemp("plain"), model_support.model(len(HOSTILE)))


def test_names_add_no_tags_no_attributes_no_code(site, plain):
    def all_of(folder):
        pages = [Page(path.read_text()) for path in sorted(folder.rglob("*.html"))]
        tags = set().union(*(page.tags for page in pages))
        attributes = set().union(*(page.attributes for page in pages))
        return tags, attributes, "".join(page.inline.strip() for page in pages)

    tags, attributes, code = all_of(site)
    plain_tags, plain_attributes, plain_code = all_of(plain)
    assert tags - plain_tags <= {"details", "summary"}
    assert attributes <= plain_attributes
    assert code == plain_code == ""


def test_no_file_holds_a_character_that_acts(site):
    for path in site.rglob("*"):
        if path.suffix in (".html", ".js") and "assets" not in path.parts:
            content = path.read_text(encoding="utf-8")
            found = {
                c for c in content if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
            }
            assert found <= {"\n"}, path.name


def test_a_long_name_is_on_its_page_only(site):
    long = "x" * 1000
    holding = [path for path in site.rglob("*.html") if long in path.read_text()]
    assert {path.parent.name for path in holding} == {"case"}
    assert long not in (site / "data/index.js").read_text()


@pytest.mark.parametrize(
    "given_text, shown",
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("1\u202f000 µs \u00a0 שלום", "1\u202f000 µs \u00a0 שלום"),
    ],
)
def test_what_can_not_be_seen_is_shown_as_an_escape(given_text, shown):
    assert text.visible(given_text) == shown


@settings(max_examples=200, deadline=None)
@given(ANY)
def test_any_text_is_visible_once_and_for_all(given_text):
    shown = text.visible(given_text)
    shown.encode("utf-8")
    assert text.visible(shown) == shown
    assert not {c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


@settings(max_examples=200, deadline=None)
@given(ANY)
def test_any_name_is_itself_on_a_page(given_text):
    shown = text.visible(given_text)
    for made in (text.name(shown), text.long_name(shown)):
        page = Page(str(made))
        assert page.text == shown
        assert page.tags == (set() if shown.isascii() else {"bdi"})


@settings(max_examples=200, deadline=None)
@given(st.recursive(ANY, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner), max_leaves=8))
def test_any_data_comes_back_from_a_page(value):
    value = text.all_visible(value)
    block = str(text.data_block(value))
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block) == value
    script = text.data_script("x", value)
    assert json.loads(script[len('nsop.data("x",') : -3]) == value


@settings(max_examples=100, deadline=None)
@given(ANY, ANY, ANY)
def test_any_cell_is_one_cell(said, note, verdict):
    cell = {"kind": "text", "text": said, "note": note, "verdict": verdict}
    page = Page(f"<table><tr>{Cells('', METHODS).td(text.all_visible(cell))}</tr></table>")
    assert [len(row) for row in page.tables[0]] == [1]
    assert page.tags <= {"table", "tr", "td", "a", "span", "small"}
    assert all(href.startswith("method.html#") for href in page.hrefs)


@settings(max_examples=50, deadline=None)
@given(ANY)
def test_any_row_is_one_row(given_text):
    case = text.all_visible(model_support.model(1, hostile=False)[0])
    shown = text.visible(given_text)
    case["title"] = case["case"] = case["rows"][0]["who"] = shown
    made = rows.html(case, case["rows"][0], Cells("", METHODS))
    page = Page(f"<table>{made}</table>")
    assert [len(row) for row in page.tables[0]] == [len(rows.COLUMNS)]
    assert page.tables[0][0][1] == shown


def test_a_closing_question_mark_leads_to_doubt():
    cells = Cells("../", METHODS)
    assert cells.doubted("1 ms ?") == '1 ms <a class="doubt" href="../method.html#doubt">?</a>'
    assert cells.doubted("why?") == "why?"
    assert Cells("", set()).doubted("1 ms ?") == "1 ms ?"


def test_each_question_mark_behind_a_number_of_a_sentence_leads_to_doubt():
    link = ' <a class="doubt" href="method.html#doubt">?</a>'
    said = Cells("", METHODS).prose("It takes 1 ms ? on <2>; 3x ?. Why?")
    assert said == f"It takes 1 ms{link} on &lt;2&gt;; 3x{link}. Why?"


def source(*path):
    with open(os.path.join(build.REPORTS, "..", "harness", *path), encoding="utf-8") as file:
        return file.read()


def test_the_paragraphs_are_those_that_are_written():
    written = re.findall(r'Paragraph\{\s*"([a-z-]+)"', source("report", "site", "method.cpp"))
    assert len(written) > 20
    assert set(written) == METHODS


@pytest.mark.parametrize(
    "path, names",
    [
        ("stats/comparison.cpp", r"kNames = \{([^}]*)\}"),
        ("judge/history/alert.cpp", r"kStates = \{([^}]*)\}"),
        ("report/gate/report.cpp", r"made\(\"([^)]*?)\","),
        ("report/site/front.cpp", r'\{"(?:verdict|state)", ([^}]*)\}'),
    ],
)
def test_each_verdict_that_a_model_may_hold_has_its_paragraph(path, names):
    parts = re.findall(names, source(*path.split("/")))
    assert parts
    words = set(re.findall(r'"([a-z ]+)"', " ".join(parts)))
    words |= {part for part in parts if re.fullmatch("[a-z]+", part)}
    assert words <= set(VERDICTS), words - set(VERDICTS)


def test_each_verdict_has_its_paragraph():
    assert {method for _, method in VERDICTS.values()} <= METHODS
    looks = Cells("", METHODS).looks()
    assert looks["worse"] == ["worse", "worse"]
    assert looks[" ?"] == ["doubt", "doubt"]


def test_a_spark_shows_the_shape_of_a_history():
    def history(values):
        return {"points": [[0, value, "", "", "", ""] for value in values], "changes": []}

    assert index.spark(None) == ""
    assert index.spark(history([5])) == ""
    assert index.spark(history([10, 10, 20, 20])) == "00ff"
    assert index.spark(history([100, 100.1])) == "00"  # next to nothing
    assert len(index.spark(history(range(1, 200)))) == index.BARS
    left_out = history([10, 10, 10])
    left_out["points"][1][1:] = [99, "", "", "", "busy"]
    assert index.spark(left_out) == "00"


def test_columns_of_the_index_belong_together():
    made = index.Index()
    for line in model_support.model(3):
        if line["kind"] == "case":
            made.add(line)
    data = made.data({"ab12cd34": "Intel"})
    assert data["rows"] == 33 == sum(data["cases"]["per"])
    for name, column in data["columns"].items():
        assert len(column) == 33, name
        if name in data["words"]:
            assert max(column) < len(data["words"][name].split("\n")), name
    for name, joined in data["texts"].items():
        assert len(joined.split("\n")) == 33, name
    assert len(data["allocs_values"]) == len(data["words"]["allocs"].split("\n"))


@pytest.mark.parametrize(
    "number, drawn", [(None, None), (123456.7, 123460), (0.000123456, 0.00012346), (5, 5)]
)
def test_numbers_for_drawing_are_short(number, drawn):
    assert text.drawn(number) == drawn
