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
# Columns of the report that a reader meets first, by id; the report has the others.
COLUMNS = [
    "layer",
    "operation",
    "before_time",
    "after_time",
    "speedup",
    "before_allocs",
    "after_allocs",
    "before_bytes",
    "after_bytes",
]
ROWS = 8
FOOTER = ["Host", "ISA or version"]  # what a reader must know to place the numbers


def cell_text(cell):
    text = " ".join(filter(None, [cell["text"], cell.get("interval_text")]))
    return text.replace("|", "\\|")


def rule(column):
    return "---:" if column.get("align") == "right" else "---"


def table_lines(table):
    """The first rows and the chosen columns of a table of the report, as Markdown."""
    places = {column["id"]: at for at, column in enumerate(table["columns"])}
    chosen = [places[name] for name in COLUMNS]
    columns = [table["columns"][at] for at in chosen]
    yield "| " + " | ".join(column["label"] for column in columns) + " |"
    yield "|" + "|".join(map(rule, columns)) + "|"
    for row in table["rows"][:ROWS]:
        yield "| " + " | ".join(cell_text(row["cells"][at]) for at in chosen) + " |"


def markdown(report):
    """The excerpt: rows of the table that has these columns, and where they were measured."""
    tables = (table for section in report["sections"] for table in section["tables"])
    table = next(t for t in tables if set(COLUMNS) <= {column["id"] for column in t["columns"]})
    facts = {item["label"]: item["text"] for item in report["footer"]}
    measured = ". ".join(f"{label}: {facts[label]}" for label in FOOTER)
    return "\n".join([*table_lines(table), "", measured + "."])


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
