"""A report as its page shows it: what the model says many times is said once. Nothing gets lost, no
number is made."""

import collections
import itertools
import re
import string

from nsop_report import peaks

PUBLISHED = "What other systems published"  # the folded table, by how its title begins
# What a page may leave to the JSON of cells that decide nothing.
UNDECIDED = "How much inconclusive rows differ from the previous run"
PREVIOUS = "previous"  # the column
LETTERED = ("source", "machine", "note")  # its columns of long texts
WHY = ("why", "authors")  # columns of what authors say, which a list below spells out
NAMES = ("row", "case", "series")  # columns that say what a row is of
REPEATED = ("case", "series")  # those that repeat themselves in open tables, too
PATTERNS = ("on",)  # columns of patterns of cases
MOST = 3  # sections that repeat a note of theirs
REFERENCE = re.compile(r".* (\(\d+\)(?:, \(\d+\))*)")
ABOVE = "…"
SHORT = 6  # characters of a name that is said again


def shown(report, left_out=()):
    """The model with the table of peak bytes, and with texts that are repeated said once.

    left_out: titles of folded tables that the page does not show, and UNDECIDED, where it says
    `inconclusive` in place of changes that nothing was decided of; all stay in the model.
    """
    sections = [*report["sections"], *peaks.section(report)]
    if UNDECIDED in left_out:
        sections = [
            {**section, "tables": [_decided(table) for table in section["tables"]]}
            for section in sections
        ]
    often = _often(sections)
    sections = [
        {
            **section,
            "notes": [note for note in section["notes"] if note not in often],
            "tables": [_table(table) for table in section["tables"]],
        }
        for section in sections
    ]
    footer = [_of_sections(note, titles) for note, titles in often.items()]
    if _has_ellipses(sections, left_out):
        footer = [{"label": ABOVE, "text": "what the row above says"}, *footer]
    return {**report, "sections": sections, "footer": [*footer, *report["footer"]]}


def has_undecided(report):
    """Does a table of the report compare a row with the previous run and decide nothing?"""
    tables = (table for section in report["sections"] for table in section["tables"])
    return any(_decided(table) != table for table in tables)


def _decided(table):
    """The table without numbers that decide nothing of what changed since the previous run."""
    places = [at for at, column in enumerate(table["columns"]) if column.get("id") == PREVIOUS]
    rows = [
        {
            **row,
            "cells": [
                _word(cell) if at in places and cell.get("verdict") == "inconclusive" else cell
                for at, cell in enumerate(row["cells"])
            ],
        }
        for row in table["rows"]
    ]
    return {**table, "rows": rows}


def _word(cell):
    return {"kind": "text", "value": cell["verdict"], "text": cell["verdict"]}


def _often(sections):
    """{note: titles} of notes that more than MOST sections have."""
    titles = {}
    for section in sections:
        for note in dict.fromkeys(section["notes"]):
            titles.setdefault(note, []).append(section["title"])
    return {note: where for note, where in titles.items() if len(where) > MOST}


def _of_sections(note, titles):
    more = len(titles) - MOST
    return {"label": f"{'; '.join(titles[:MOST])} and {more} more", "text": note}


def _has_ellipses(sections, left_out):
    tables = (table for section in sections for table in section["tables"])
    return any(
        cell["text"] == ABOVE
        for table in tables
        if not table["collapsed"] or table["title"] not in left_out
        for row in table["rows"]
        for cell in row["cells"]
    )


def _table(table):
    ids = [column.get("id") for column in table["columns"]]
    rows = table["rows"]
    if table["title"].startswith(PUBLISHED):
        rows, notes = _lettered(rows, [ids.index(name) for name in LETTERED if name in ids])
        if notes:
            table = {**table, "notes": [*table.get("notes", []), *notes]}
    for at, name in enumerate(ids):
        if name in WHY:
            rows = list(_referring(rows, at))
        if name in NAMES and (name in REPEATED or table["collapsed"]):
            rows = list(_as_above(rows, at))
        if name in PATTERNS:
            rows = [_with(row, {at: swept(row["cells"][at]["text"])}) for row in rows]
    return {**table, "rows": rows}


def _referring(rows, at):
    """Of what authors say again, the number that it has in the list of reasons."""
    said = set()
    for row in rows:
        text = row["cells"][at]["text"]
        if text in said and (found := REFERENCE.fullmatch(text)):
            row = _with(row, {at: found[1]})
        said.add(text)
        yield row


def _as_above(rows, at):
    """Of what the row above says, too, an ellipsis."""
    before = None
    for row in rows:
        text = row["cells"][at]["text"]
        yield _with(row, {at: ABOVE}, "text") if text == before and len(text) > SHORT else row
        before = text


def _with(row, texts, kind=None):
    """The row with other texts, {place: text}; of another kind, if it is given."""
    cells = [
        {**cell, "kind": kind or cell["kind"], "value": texts[at], "text": texts[at]}
        if at in texts
        else cell
        for at, cell in enumerate(row["cells"])
    ]
    return {**row, "cells": cells}


def swept(patterns):
    """Patterns of cases as a suite may write them: `add n=1; add n=2` is `add n=1,2`."""
    said = []
    for pattern in patterns.split("; "):
        joined = said and _joined(said[-1], pattern)
        said[-1:] = [joined] if joined else [*said[-1:], pattern]
    return "; ".join(said)


def _joined(before, pattern):
    """Both as one pattern, where they differ by the value of their last word alone."""
    start, _, value = pattern.rpartition("=")
    same = start and before.rpartition("=")[0] == start
    return f"{before},{value}" if same and not set(" *") & set(value) else ""


def _lettered(rows, places):
    """(rows with letters for texts that come again and again in these places, what each means)."""
    letters = _letters(piece for row in rows for at in places for piece in _pieces(row, at))
    said = [
        _with(
            row, {at: "; ".join(letters.get(one, one) for one in _pieces(row, at)) for at in places}
        )
        for row in rows
    ]
    return said, [f"{letter} {text}" for text, letter in letters.items()]


def _pieces(row, at):
    return row["cells"][at]["text"].split("; ")


def _letters(pieces):
    """{text: `(a)`} of the texts for which a letter takes less room than they do."""
    counts = collections.Counter(pieces)
    worth = [text for text, count in counts.items() if (count - 1) * (len(text) - 3) > 12]
    pairs = map("".join, itertools.product(string.ascii_lowercase, repeat=2))
    names = itertools.chain(string.ascii_lowercase, pairs)
    return {text: f"({name})" for text, name in zip(worth, names)}
