#!/usr/bin/env python3
"""Puts what committed reports say into README.md, between markers: a table of conv.json, where any
report has rows that are slower than another library, and the verdict of the pull request's comment
gate.md.

usage: tools/readme_table.py [--check]
With --check changes nothing and exits 1 if README.md is not in step with the reports.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "reports"))

from nsop_report import model  # noqa: E402

GENERATED = "reports/generated"
SOURCE = f"{GENERATED}/conv.json"
GATE = "reports/generated/gate.md"
# What a reader meets first, by the ids of the report's columns: of a row before and after, and of
# the same row against the best of the other libraries.
COLUMNS = ["row", "before", "after", "speedup", "allocs"]
AGAINST = ["best_peer", "best_peer_time", "vs_best_peer"]
ROWS = 8
FOOTER = ["Host", "ISA or version"]  # what a reader must know to place the numbers
SLOWER = "Slower than another library"  # the table of a page, the largest gap first
GAP = ["row", "ours", "other", "other_time", "gap"]  # what is shown of its first row


def cell_text(cell):
    verdict = cell.get("verdict") if cell["kind"] == "ratio" else None
    text = " ".join(filter(None, [cell["text"], cell.get("interval_text"), verdict]))
    return text.replace("|", "\\|")


def rule(column):
    return "---:" if column.get("align") == "right" else "---"


def tables_of(report):
    return (table for section in report["sections"] for table in section["tables"])


def columns_of(report, ids):
    """(columns, {case and threads: cells}) of the first table that has these columns."""
    tables = tables_of(report)
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


def compared(reports):
    """(report, its table of slower rows or None) of those that compare with other libraries."""
    for report in reports:
        if " against the fastest other library" in report.get("headline", ""):
            yield report, next((t for t in tables_of(report) if t["title"] == SLOWER), None)


def judged(report):
    """Did any row of the report get a verdict? Without peers none does."""
    return re.search(r"\d+ (faster|slower|the same|inconclusive)\b", report["headline"]) is not None


def link(report):
    return f"[{report['name']}]({GENERATED}/{report['name']}.md)"


def slower_lines(reports):
    """Of each report with slower rows how many they are and the largest gap, as Markdown; then the
    reports without any, apart from those in which no row was judged."""
    columns = "Slower rows | Largest gap | Ours | Other library | Its time | Ours against it"
    yield f"| Report | {columns} |"
    yield "|---|---:|---|---:|---|---:|---:|"
    none, open_ones = [], []
    for report, table in compared(reports):
        if table is None:
            (none if judged(report) else open_ones).append(link(report))
            continue
        places = {column["id"]: at for at, column in enumerate(table["columns"])}
        first = [cell_text(table["rows"][0]["cells"][places[name]]) for name in GAP]
        rows = re.search(r" of (\d+) rows? against ", report["headline"]).group(1)
        yield f"| {link(report)} | {len(table['rows'])} of {rows} | " + " | ".join(first) + " |"
    yield ""
    said = f"No row is slower by its verdict in {', '.join(none)}."
    yield said if none else "No report is without."
    if open_ones:
        yield f"No row is judged in {', '.join(open_ones)}: the page says what is missing."


def slower(reports):
    """Where other libraries are faster, in every committed report that compares with them."""
    if all(table is None and judged(report) for report, table in compared(reports)):
        return "No committed report has a row that is slower than another library."
    return "\n".join(
        [
            "Other libraries are faster, by verdict, in these rows of the reports, each of which "
            "names its machine:",
            "",
            *slower_lines(reports),
        ]
    )


def committed():
    """The reports of runs that are committed, by name."""
    found = [model.parsed(path) for path in sorted((ROOT / GENERATED).glob("*.json"))]
    return [model.load(ROOT / GENERATED / f"{r['name']}.json") for r in found if "sections" in r]


def markdown(report, reports):
    """The excerpt, what is slower in any of the reports, and where it was measured."""
    facts = {item["label"]: item["text"] for item in report["footer"]}
    measured = ". ".join(f"{label}: {facts[label]}" for label in FOOTER)
    table = "\n".join(table_lines(report))
    text = f"{table}\n\n{slower(reports)}"
    doubt = " `?` marks a doubtful number: the report says why." if " ? " in text else ""
    return f"{text}\n\n{measured}.{doubt}"


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
    wanted = filled(readme, "report", markdown(model.load(ROOT / SOURCE), committed()))
    wanted = filled(wanted, "gate", verdict((ROOT / GATE).read_text()))
    if arguments == ["--check"]:
        if wanted != readme:
            print(f"README.md: not what {GENERATED} says; run: tools/readme_table.py")
        return 0 if wanted == readme else 1
    path.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
