"""Hostile names stay text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsop_report import escape
from nsop_report.conftest import read_markdown

HOSTILE = [
    "a|b",
    "a\\|b",
    "`code`",
    "``|`",
    "<img src=x onerror=alert(1)>",
    "</details>",
    "</td></tr></table><script>alert(1)</script>",
    "&lt;script&gt; &#124;",
    "[click](http://evil.example)",
    "![x](http://evil.example/x.png)",
    "[a]: http://evil.example",
    "<http://evil.example>",
    "https://evil.example/x www.evil.example",
    "_www.evil.example",
    "@team",
    "a@evil.example mailto:b.c-d+e@evil.example.",
    "*bold* _it_ ~~gone~~ $x^2$",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "---",
    "===",
    "\\",
    "ends with \\",
]


def table(cells):
    head = "| x " * len(cells) + "|\n" + "|---" * len(cells) + "|\n"
    return head + "|" + "|".join(f" {cell} " for cell in cells) + "|\n"


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("filtered", [escape.markdown, escape.code_cell])
def test_hostile_text_is_itself_in_a_table(text, filtered):
    page = read_markdown(table([filtered(text), "end"]))
    assert [row for row in page.tables[0]][1] == [text, "end"]
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code", "span"}
    assert page.hrefs == []


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("filtered", [escape.markdown, escape.code])
def test_hostile_text_is_itself_in_a_paragraph(text, filtered):
    page = read_markdown(filtered(text) + "\n")
    assert page.text.strip() == text
    assert page.tags <= {"p", "code", "span"}


def test_a_line_break_ends_no_row():
    assert "\n" not in escape.markdown("a\nb\r\n| c |")
    assert "\n" not in escape.code_cell("a\u2028b\n")


@pytest.mark.parametrize(
    "character", "\0\a\n\r\t\x1b\x85\u200b\u200d\u202e\u2066\u2028\ufeff\ud800"
)
def test_invisible_characters_are_shown_as_replaced(character):
    assert escape.clean(f"a{character}b") == "a\ufffdb"


def test_ordinary_text_stays_readable():
    for text in ("3,809,430", "1.25 s ?", "[67.8, 68.7]", "Conv2D_Matched", "µs +3.1 %", "n=1000"):
        assert escape.markdown(text) == text
    assert escape.markdown("hwy@AVX2") == "hwy@AVX2"
    assert escape.markdown("@team") == "<span>@</span>team"


def test_long_text_is_cut_but_a_command_never():
    assert len(escape.markdown("x" * 5000)) == escape.LONGEST_TEXT
    assert len(escape.code("x" * 5000)) == 5002


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_cells_make_one_row_of_as_many_columns(texts):
    cells = [escape.markdown(text) for text in texts] + [escape.code_cell(text) for text in texts]
    page = read_markdown(table(cells))
    assert len(page.tables) == 1
    assert [len(row) for row in page.tables[0]] == [len(cells)] * 2
    assert page.hrefs == []


def test_no_number_becomes_a_link_to_an_issue():
    assert escape.markdown("#1") == "<span>#</span>1"
    assert escape.markdown("owner/name#23, # 4, a#b") == "owner/name<span>#</span>23, # 4, a#b"
    assert escape.markdown("# 1").startswith("\\#")
