"""Peak bytes: every row that has some is found in the table, with what the measurements say."""

import copy
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsop_report import peaks
from nsop_report.test_invariants import ALL, page_of


def cell(text, kind="text"):
    return {"kind": kind, "value": text, "text": text}


def measured(label, threads=1, **of):
    """Rows of a table of measurements: variants with what they need, None where nobody counted."""
    return [
        {
            "label": label,
            "case": label,
            "threads": threads,
            "notes": [],
            "cells": [cell(who), cell(peak or "n/a", "bytes" if peak else "missing")],
        }
        for who, peak in of.items()
    ]


def section(title, *rows, collapsed=True):
    columns = [{"id": name, "label": name, "align": "left"} for name in ("variant", "peak")]
    table = {"title": "Each measurement", "collapsed": collapsed, "columns": columns}
    return {"title": title, "notes": [], "plots": [], "tables": [{**table, "rows": sum(rows, [])}]}


def report(*sections, before="plain", after="hwy"):
    return {"roles": {"before": before, "after": after}, "sections": list(sections)}


def lines(*sections, **roles):
    """(header, lines, notes but the last, which explains) of the table of these sections."""
    [one] = peaks.section(report(*sections, **roles))
    [table] = one["tables"]
    rows = [[cell["text"] for cell in row["cells"]] for row in table["rows"]]
    assert table["notes"][-1] == peaks.NOTE
    return [column["label"] for column in table["columns"]], rows, table["notes"][:-1]


def test_equal_rows_of_a_section_share_a_line():
    rows = [measured(f"Sum n={n}", plain="8 B", hwy="0 B") for n in (1, 2)]
    last = measured("Sum n=3", plain="8 B", hwy="16 B")
    assert lines(section("Sums", *rows, last)) == (
        ["Row", "plain", "hwy"],
        [["Sum n=1; Sum n=2", "8 B", "0 B"], ["Sum n=3", "8 B", "16 B"]],
        [],
    )


def test_sections_of_equal_rows_share_a_line_that_counts_them():
    def sums(title):
        return section(title, *(measured(f"{title} {n}", hwy="0 B") for n in (1, 2)))

    other = section("Other", measured("Other 1", hwy="4 B"), measured("Other 2", hwy="0 B"))
    found = lines(sums("Addition"), other, sums("Addition, 2 threads"), before="")
    assert found[1] == [
        ["All 4 rows of Addition; …, 2 threads", "0 B"],
        ["Other 1", "4 B"],
        ["Other 2", "0 B"],
    ]
    assert lines(sums(""))[1] == [["All 2 rows", "-", "0 B"]]


def test_rows_of_which_some_were_not_counted_are_named():
    rows = [measured("A", hwy="0 B"), measured("B", hwy="0 B"), measured("C", hwy=None)]
    assert lines(section("Letters", *rows), before="")[1] == [["A; B", "0 B"]]


def test_what_the_variant_takes_by_itself_is_its_peak():
    row = measured("A", **{"plain@x86-64": "1 B", "hwy@AVX3": "2 B ?", "hwy@AVX2": "3 B"})
    assert lines(section("", row))[1] == [["A", "1 B", "2 B ?"]]
    assert lines(section("", row), before="hwy@AVX2")[1] == [["A", "3 B", "2 B ?"]]


def test_rows_of_neither_variant_are_said_below():
    calls = [measured("Call", call="0 B"), measured("Call, 2 threads", call="0 B")]
    table = lines(section("Calls", *calls), section("", measured("A", hwy="8 B")), before="")
    assert table == (["Row", "hwy"], [["A", "8 B"]], ["call: 0 B in all 2 rows of Calls"])
    mixed = lines(section("Both", *calls, measured("A", hwy="8 B")), before="")
    assert mixed[2] == ["call: 0 B in Call; Call, 2 threads"]


def test_threads_that_all_names_have_are_said_once():
    rows = [measured(f"Pool in={n}, 2 threads", hwy=f"{n} B") for n in (1, 2)]
    head, shown, _ = lines(section("", *rows), before="")
    assert head == ["Row, 2 threads", "hwy"] and [row[0] for row in shown] == [
        "Pool in=1",
        "Pool in=2",
    ]


def test_there_is_no_table_where_open_tables_have_it_or_nobody_counted():
    rows = measured("A", hwy="0 B")
    assert peaks.section(report(section("", rows, collapsed=False))) == []
    assert peaks.section(report(section("", measured("A", hwy=None)))) == []


def expanded(said, before=""):
    """The names of a line in full: how a reader reads it."""
    names = []
    for name in said.split("; "):
        rest = name.removeprefix(peaks.MORE)
        if name != rest:
            whole = rest.startswith(", ")
            name = (before if whole else before.partition("=")[0].rpartition(" ")[0]) + rest
        names.append(name)
        before = name
    return names


words = st.sampled_from(["Conv2D", "Conv2D,", "1x1", "Forward", "Backward", "wide"])
parts = st.tuples(
    st.lists(words, min_size=1, max_size=3).map(" ".join),
    st.sampled_from(["", " in=1x2", " in=1x2 out=3", " in=2x2"]),
    st.sampled_from(["", ", 2 threads"]),
)


@given(st.lists(parts.map("".join), min_size=1))
def test_every_name_can_be_told_from_what_is_left_of_it(names):
    assert expanded(peaks._elided("", names)) == names


def said_of(report):
    """{name of a row or ('all', title of a section): its texts} of the table in full."""
    rows, before = {}, ""
    [table] = peaks.section(report)[0]["tables"]
    ending = table["columns"][0]["label"].removeprefix("Row")
    for row in table["rows"]:
        said, *texts = [cell["text"] for cell in row["cells"]]
        if of := re.fullmatch(r"All \d+ rows(?: of (.*))?", said):
            rows.update({("all", title): texts for title in expanded(of[1] or "")})
            continue
        names = expanded(said, before)
        rows.update({name + ending: texts for name in names})
        before = names[-1]
    return rows


def counted(section):
    """{name of a row: [(variant, peak)]} of a section's folded measurements."""
    rows = {}
    for table in section["tables"]:
        ids = [column.get("id") for column in table["columns"]]
        if table["collapsed"] and {"variant", "peak"} <= set(ids):
            for row in table["rows"]:
                cells = dict(zip(ids, row["cells"]))
                if cells["peak"]["kind"] == "bytes":
                    found = cells["variant"]["text"], cells["peak"]["text"]
                    rows.setdefault(row["label"], []).append(found)
    return rows


def of_role(found, role):
    return next((peak for who, peak in found if role in (who, who.split("@")[0])), peaks.NONE)


def has_open_peaks(section):
    return any(
        not table["collapsed"] and "peak" in {column.get("id") for column in table["columns"]}
        for table in section["tables"]
    )


@pytest.mark.parametrize("name", ALL)
def test_every_row_of_a_report_is_on_its_page_with_its_peak_bytes(name):
    report = ALL[name]
    found = [(s["title"], counted(s)) for s in report["sections"] if not has_open_peaks(s)]
    if not any(rows for _, rows in found):
        return
    page, said = page_of(report), said_of(report)
    assert f"<summary>{peaks.TITLE}</summary>" in page
    roles = [role for role in report["roles"].values() if role]
    for title, rows in found:
        for label, variants in rows.items():
            wanted = [of_role(variants, role) for role in roles]
            if set(wanted) == {peaks.NONE}:
                assert f"- {variants[0][0]}: {variants[0][1]} in " in page.replace("\\", "")
            else:
                assert said.get(label, said.get(("all", title))) == wanted, (title, label)


def test_the_report_stays_as_it_was(conv):
    before = copy.deepcopy(conv)
    peaks.section(conv)
    assert conv == before
