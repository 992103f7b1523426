#!/usr/bin/env python3
"""Puts what committed reports say into README.md, between markers: a table of conv.json and the
verdict of the pull request's comment gate.md.

usage: tools/readme_table.py [--check]
With --check changes nothing and exits 1 if README.md is not in step with the reports.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "reports"))

from nsop_report import model  # noqa: E402

SOURCE = "reports/generated/conv.json"
GATE = "reports/generated/gate.md"
# What a reader meets first, by the ids of the report's columns: of a row before and after, and of
# the same row against the best of the other libraries.
COLUMNS = ["row", "before", "after", "speedup", "allocs"]
AGAINST = ["best_peer", "best_peer_time", "vs_best_peer"]
ROWS = 8
FOOTER = ["Host", "ISA or version"]  # what a reader must know to place the numbers


def cell_text(cell):
    verdict = cell.get("verdict") if cell["kind"] == "ratio" else None
    text = " ".join(filter(None, [cell["text"], cell.get("interval_text"), verdict]))
    return text.replace("|", "\\|")


def rule(column):
    return "---:" if column.get("align") == "right" else "---"


def columns_of(report, ids):
    """(columns, {case and threads: cells}) of the first table that has these columns."""
    tables = (table for section in report["sections"] for table in section["tables"])
    table = next((t for t in tables if set(ids) <= {column["id"] for column in t["columns"]}), None)
    if table is None:
        raise SystemExit(f"{SOURCE}: no table has the columns {', '.join(ids)}; measure its peers")
    places = {column["id"]: at for at, column in enumerate(table["columns"])}
    rows = {
        (row["case"], row["threads"]): [row["cells"][places[name]] for name in ids]
        for row in table["rows"]
    }
    return [table["columns"][places[name]] for name in ids], rows


def table_lines(report):
    """The first rows of the report as Markdown: before, after, and the best of other libraries."""
    columns, rows = columns_of(report, COLUMNS)
    more, against = columns_of(report, AGAINST)
    columns += more
    yield "| " + " | ".join(column["label"] for column in columns) + " |"
    yield "|" + "|".join(map(rule, columns)) + "|"
    for row, cells in list(rows.items())[:ROWS]:
        yield "| " + " | ".join(map(cell_text, [*cells, *against[row]])) + " |"


def markdown(report):
    """The excerpt and where it was measured."""
    facts = {item["label"]: item["text"] for item in report["footer"]}
    measured = ". ".join(f"{label}: {facts[label]}" for label in FOOTER)
    table = "\n".join(table_lines(report))
    doubt = " `?` marks a doubtful number: the report says why." if " ? " in table else ""
    return f"{table}\n\n{measured}.{doubt}"


def verdict(comment):
    """What a gate's comment says before it says what to do, as a quotation."""
    begin = comment.index("## nsop:")
    lines = comment[begin : comment.index("### What to do")].strip().splitlines()
    quoted = [
        f"> {line.replace('## ', '**', 1)}**" if i == 0 else f"> {line}"
        for i, line in enumerate(lines)
    ]
    return "\n".join(line.replace("> ### ", "> ").rstrip() for line in quoted)


def filled(readme, name, block):
    """README.md with `block` between the markers of that name."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, rest = readme.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{block}\n\n{end}{after}"


def main(arguments):
    path = ROOT / "README.md"
    readme = path.read_text()
    wanted = filled(readme, "report", markdown(model.load(ROOT / SOURCE)))
    wanted = filled(wanted, "gate", verdict((ROOT / GATE).read_text()))
    if arguments == ["--check"]:
        if wanted != readme:
            print(f"README.md: not what {SOURCE} and {GATE} say; run: tools/readme_table.py")
        return 0 if wanted == readme else 1
    path.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
