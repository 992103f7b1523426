"""Golden Markdown, and what GitHub makes of it. NSOP_UPDATE_GOLDEN=1 rewrites: look at the diff."""

import os
import re

from nsop_report import render, terse
from nsop_report.conftest import TESTDATA, load_report


def test_markdown_is_the_golden_file(name, report):
    text = render.markdown(report)
    golden = TESTDATA / f"{name}.md"
    if os.environ.get("NSOP_UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_every_table_is_a_table_with_all_its_columns(report, page):
    rendered = page(render.markdown(report)).tables
    report = terse.shown(report)
    tables = [t for section in report["sections"] for t in section["tables"]]
    ordered = []
    for section in render.summaries_last(report):
        ordered += [t for t in section["tables"] if not t["collapsed"]]
        ordered += [t for t in section["tables"] if t["collapsed"]]
    assert len(rendered) == len(tables)
    for table, shown in zip(ordered, rendered):
        assert len(shown) == 1 + len(table["rows"])
        assert shown[0] == [column["label"] for column in table["columns"]]
        for row, cells in zip(table["rows"], shown[1:]):
            assert len(cells) == len(table["columns"])
            for cell, text in zip(row["cells"], commands_filled(table, shown[1:], cells)):
                assert text.startswith(cell["text"].strip())


def commands_filled(table, lines, cells):
    """The cells of a line; a command that is left out is that above, with the line's variant."""
    ids = [column["id"] for column in table["columns"]]
    if "repro" not in ids or cells[ids.index("repro")] != "…":
        return cells
    repro, variant = ids.index("repro"), ids.index("variant")
    above = [line[repro] for line in lines[: lines.index(cells)] if line[repro] != "…"][-1]
    command = re.sub(r"--variant \S+", lambda _: f"--variant {cells[variant]}", above)
    return [*cells[:repro], command, *cells[repro + 1 :]]


def test_a_command_is_said_once_for_rows_that_differ_by_variant(conv):
    text = render.markdown(conv)
    assert "|…|" in text and "…: the command above, with this row's variant." in text


LIMIT = "*Of the machine's limit*: the time that"
ABOVE = "More than 100 % of compute means that an algorithm does less arithmetic"
DOUBT = "*limit in doubt*: this row beats that memory by more than the error of measuring"
SHARES = {"standing", "limit"}


def shares_of(report, left_out=()):
    """The cells of shares of the machine's limit that a page without these tables shows."""
    for table in (table for section in report["sections"] for table in section["tables"]):
        if table["collapsed"] and table["title"] in left_out:
            continue
        for row in table["rows"]:
            yield from (
                cell for c, cell in zip(table["columns"], row["cells"]) if c["id"] in SHARES
            )


def test_shares_are_explained_where_they_are_shown_and_those_above_all(report):
    folded = {t["title"] for s in report["sections"] for t in s["tables"] if t["collapsed"]}
    for left_out in ((), tuple(folded)):
        cells = [c for c in shares_of(report, left_out) if c["kind"] == "percent"]
        doubt = any(c["text"] == "limit in doubt" for c in shares_of(report, left_out))
        text = render.markdown(report, left_out)
        assert (LIMIT in text) == (bool(cells) or doubt or has_goal_shares(report, left_out))
        assert (DOUBT in text) == doubt
        for cell in cells:
            cell["value"] = 0.5
        assert ABOVE not in render.markdown(report, left_out) or has_goal_shares(report, left_out)
        for cell in cells[:1]:
            cell["value"], cell["text"] = 2.04, "204 % of compute"
            assert ABOVE in render.markdown(report, left_out)


def has_goal_shares(report, left_out):
    """Does the page show a goal's share of the bandwidth?"""
    return any(
        cell["kind"] == "percent" and column["id"] == "value"
        for section in report["sections"]
        for table in section["tables"]
        if not table["collapsed"] or table["title"] not in left_out
        for row in table["rows"]
        for column, cell in zip(table["columns"], row["cells"])
    )


def test_what_stands_in_the_json_alone_is_said_to_be_there(sweep, peers):
    pinned = "Time by instruction set and variant"
    assert "the folded tables have each one pinned" in render.markdown(sweep)
    text = render.markdown(sweep, [pinned])
    assert "folded tables" not in text and f"<summary>{pinned}" not in text
    assert "left to the JSON, `activations.json` beside this page" in text
    own = "stands in columns of its own"
    assert own in render.markdown(peers)
    text = render.markdown(peers, ["Against each peer", "Times of the peers"])
    assert own not in text and "`frameworks.json` beside this page only" in text


def test_a_library_in_its_own_layout_is_named_where_no_row_counts_it(conv):
    told = "a library given a layout of its own choice, stands in columns of its own"
    assert "layout of its own" not in render.markdown(conv)
    conv["peers"] = ["onednn", "onednn_blocked"]
    assert f"`onednn_blocked`, {told} and is never the best" in render.markdown(conv)
    text = render.markdown(conv, ["Against each peer", "Times of the peers"])
    assert "`onednn_blocked`, " in text and "`conv.json` beside this page only" in text


def test_where_a_multiply_adds_cost_stands_is_said():
    matched, numbers = load_report("matched"), "Both variants in numbers"
    assert f"is in the folded table *{numbers}*" in render.markdown(matched)
    text = render.markdown(matched, [numbers])
    assert numbers not in text.split("## How to read it")[1].split("**Left to")[0]
    assert "*ns per MAC*, is in `matched.json` beside this page only" in text


def test_a_log_of_releases_says_whose_numbers_they_are():
    text = render.markdown(load_report("tracking"))
    assert "measured by its own programs: what they did not tell yet is `n/a`" in text
    assert "Runs of one build differ by themselves" in text


def test_hostile_names_are_inert(conv, page):
    evil = "</details><script>alert(1)</script> | `x` [a](http://evil.example) @team\n| b |\u202e"
    conv["title"] = conv["about"] = conv["host"]["cpu_model"] = conv["run"]["id"] = evil
    conv["roles"]["before"] = evil
    conv["warnings"] = conv["commits"] = conv["head"] = [evil]
    conv["headline"] = evil
    conv["footer"] = [{"label": evil, "text": evil}]
    section = conv["sections"][0]
    section["title"] = section["plots"][0]["title"] = evil
    section["notes"] = [evil]
    for table in section["tables"]:
        table["title"] = evil
        for column in table["columns"]:
            column["label"] = evil
        for row in table["rows"]:
            row["label"] = evil
            row["notes"] = [{"kind": evil, "who": evil, "text": evil}]
            for cell in row["cells"]:
                cell["text"] = evil
    before = page(render.markdown(conv))
    assert "script" not in before.tags
    tables = [t for section in terse.shown(conv)["sections"] for t in section["tables"]]
    assert len(before.tables) == len(tables)
    assert [len(row) for row in before.tables[0]] == [8] * 4
    assert before.hrefs == ["conv-convolution.svg", "conv-dense.svg"]


def test_wrong_rows_say_so_first_and_have_no_time(conv, page):
    text = render.markdown(conv)
    dense = page(text.split("## Dense")[1]).tables[0]
    assert dense[2][3] == "wrong"
    notes = text.split("## Dense")[1].split("\n- ")
    assert notes[1].startswith("**wrong**, 1 time: output 1 (dW) at index 17")


def test_the_answer_first_then_the_rows_then_what_is_slower(peers):
    peers["sections"][0]["tables"][0]["rows"][0]["notes"] = [
        {"kind": "lost", "who": "hwy@AVX2", "text": "killed"},
        {"kind": "doubt", "who": "hwy@AVX2", "text": "busy"},
    ]
    text = render.markdown(peers)
    heads = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert heads[:4] == ["Element-wise", "Products", "What is slower, and why", "Goals"]
    head = text.split("## Element-wise")[0].strip().splitlines()
    assert len([line for line in head if line]) <= 12
    assert any(line.startswith(f"**{peers['headline']}") for line in head)
    rows = text.split("## Element-wise")[1]
    places = [rows.index(text) for text in ("killed", "<details><summary>Remarks", "busy")]
    assert places == sorted(places)


def test_a_report_of_an_earlier_version_has_no_headline_but_its_run(conv):
    del conv["headline"], conv["head"]
    assert "Run `11111111-1111-4111-8111-111111111111` (comprehensive" in render.markdown(conv)


def test_words_between_backticks_are_code_and_all_else_is_inert(conv, page):
    conv["about"] = "See `nsop run` and <b>`"
    shown = page(render.markdown(conv))
    assert "b" not in shown.tags
    assert "See `nsop run` and &lt;b>\\`" in render.markdown(conv)


def test_no_plot_no_link(sweep):
    for section in sweep["sections"]:
        section["plots"] = []
    assert "![" not in render.markdown(sweep)


def test_no_blank_lines_in_tables_and_none_doubled(report):
    text = render.markdown(report)
    assert "\n\n\n" not in text
    assert text.endswith("\n") and not text.endswith("\n\n")


def test_a_form_without_an_introduction_is_a_report_like_others(conv):
    introduced = render.markdown(conv)
    conv["form"] = "poem"
    plain = render.markdown(conv)
    about = "Before is `elementwise`, after is `hwy`; "
    assert about in introduced and about not in plain
    assert plain.splitlines()[:20] == introduced.splitlines()[:20]
