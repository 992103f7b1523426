"""Peak bytes of every row, of our variant and of the one before: a table made of the much longer
tables of all measurements, with one line for the rows of a section whose values are equal."""

import re

TITLE = "Peak bytes of each row"
NOTE = (
    "Counted blocks that live at the same time, at most, and the workspace taken before. "
    "Equal rows of a section share a line; … stands for the words with which the name before "
    "begins, too."
)
SHORTEST = 6  # characters of a beginning that is worth leaving out
MORE, NONE = "…", "-"
NEEDED = {"variant", "peak"}  # columns of a table of measurements
THREADS = re.compile(r", \d+ threads$")


def section(report):
    """[the section with the table], or [] where nothing was counted or open tables show it all."""
    roles = [role for role in (report["roles"]["before"], report["roles"]["after"]) if role]
    found = [(one["title"], _peaks(one)) for one in report["sections"]]
    lines, ending = _lines([(title, rows, _of_roles(rows, roles)) for title, rows in found])
    notes = [note for title, rows in found for note in _of_others(title, rows, roles)]
    if not lines and not notes:
        return []
    table = {
        "title": TITLE,
        "collapsed": True,
        "columns": [
            _column("row", f"Row{ending}", "left"),
            *(_column(f"peak_{role}", role, "right") for role in roles),
        ],
        "rows": [_row(label, texts) for label, texts in lines],
        "notes": [*notes, NOTE],
    }
    return [{"title": "Memory", "notes": [], "summary": True, "tables": [table], "plots": []}]


def _column(name, label, align):
    return {"id": name, "label": label, "align": align}


def _row(label, texts):
    cells = [{"kind": "text", "value": text, "text": text} for text in (label, *texts)]
    return {"label": label, "case": "", "threads": 0, "cells": cells, "notes": []}


def _peaks(section):
    """{(label, case, threads) of a row: {variant: peak}}; empty where an open table has them."""
    tables = [t for t in section["tables"] if NEEDED <= {c.get("id") for c in t["columns"]}]
    if not all(table["collapsed"] for table in tables):
        return {}
    rows = {}
    for table in tables:
        ids = [column.get("id") for column in table["columns"]]
        for row in table["rows"]:
            peaks = rows.setdefault((row["label"], row["case"], row["threads"]), {})
            cells = dict(zip(ids, row["cells"]))
            if cells["peak"]["kind"] == "bytes":
                peaks.setdefault(cells["variant"]["text"], cells["peak"]["text"])
    return rows


def _of_roles(rows, roles):
    """{row: its texts, one for each role}, of the rows that have one at least."""
    texts = {row: tuple(_of(peaks, role) for role in roles) for row, peaks in rows.items()}
    return {row: each for row, each in texts.items() if set(each) - {NONE}}


def _of(peaks, role):
    """Of several instruction sets the first is what the variant takes by itself."""
    return next((t for who, t in peaks.items() if role in (who, who.partition("@")[0])), NONE)


def _of_others(title, rows, roles):
    """A note for each variant and peak of rows that neither role has: those of their first."""
    first = {
        row: next(iter(peaks.items()))
        for row, peaks in rows.items()
        if peaks and all(_of(peaks, role) == NONE for role in roles)
    }
    for (who, peak), names in _grouped(first).items():
        whole = 1 < len(names) == len(rows)
        yield f"{who}: {peak} in {_all(len(names), [title]) if whole else _elided('', names)}"


def _grouped(values):
    """{value: labels} of {row: value}."""
    groups = {}
    for (label, _, _), value in values.items():
        groups.setdefault(value, []).append(label)
    return groups


def _lines(found):
    """([(label, texts)], how all names end) of [(title of a section, its rows, {row: texts})]."""
    ending = _ending([label for _, _, values in found for label, _, _ in values])
    lines, whole, before = [], {}, ""
    for title, rows, values in found:
        groups = _grouped(values)
        if len(groups) == 1 and 1 < len(values) == len(rows):
            [texts] = groups
            if texts not in whole:
                lines.append((whole.setdefault(texts, []), texts))
            whole[texts].append((title, len(values)))
            before = ""
            continue
        for texts, names in groups.items():
            names = [name.removesuffix(ending) for name in names]
            lines.append((_elided(before, names), texts))
            before = names[-1]
    return [(_said(label), texts) for label, texts in lines], ending


def _ending(labels):
    """`, 2 threads` where all labels end so."""
    ends = {"".join(THREADS.findall(label)) for label in labels}
    return ends.pop() if len(ends) == 1 else ""


def _said(label):
    """What a line is of: names of rows, or sections with all their rows."""
    if isinstance(label, str):
        return label
    return "A" + _all(sum(size for _, size in label), [title for title, _ in label])[1:]


def _all(count, titles):
    titles = [title for title in titles if title]
    return f"all {count} rows" + (f" of {_elided('', titles)}" if titles else "")


def _elided(before, names):
    """The names in one line, without what each begins with as the one before it."""
    said = []
    for name in names:
        start = _common(before, name)
        said.append(f"{MORE}{name[len(start):]}" if len(start) >= SHORTEST else name)
        before = name
    return "; ".join(said)


def _common(before, name):
    """The whole name before, or all that both have in front of their parameters: no other
    beginnings, of which a reader could not tell where they end."""
    if before and name.startswith(f"{before}, "):
        return before
    start = _start(name)
    return start if start == _start(before) else ""


def _start(name):
    """`Conv2D Forward` of `Conv2D Forward in=1x2 out=3`; empty without parameters."""
    return name.partition("=")[0].rpartition(" ")[0] if "=" in name else ""
