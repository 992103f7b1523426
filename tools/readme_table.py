#!/usr/bin/env python3
"""Puts a table of reports/generated/conv.json into README.md, between its two markers.

usage: tools/readme_table.py [--check]
With --check changes nothing and exits 1 if README.md is not in step with the report.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "reports"))

from nsop_report import model  # noqa: E402

BEGIN = "<!-- report:begin -->"
END = "<!-- report:end -->"
SOURCE = "reports/generated/conv.json"
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


def filled(readme, block):
    """README.md with `block` between the markers."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{after}"


def main(arguments):
    path = ROOT / "README.md"
    readme = path.read_text()
    wanted = filled(readme, markdown(model.load(ROOT / SOURCE)))
    if arguments == ["--check"]:
        if wanted != readme:
            print(f"README.md shows other numbers than {SOURCE}; run: tools/readme_table.py")
        return 0 if wanted == readme else 1
    path.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
