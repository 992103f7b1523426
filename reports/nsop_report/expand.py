"""A report's file (nsop.report/2) as the model that is rendered: the other side of compact.cpp.

The encoding is described in docs/report.schema.json. Files of nsop.report/1 are the model itself.
"""

import re

FILE, MODEL = "nsop.report/2", "nsop.report/1"
FIELDS = ("interval_text", "verdict", "note")
GROUPED = re.compile(r"0|[1-9]\d{0,2}(,\d{3})*")
ITSELF = ("text", "code")  # kinds whose value is their text


def expanded(report):
    """The model; what is no nsop.report/2 as it is. Raises ValueError on a file that is damaged."""
    if not isinstance(report, dict) or report.get("schema") != FILE:
        return report
    try:
        return _Reader(report).model()
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no sound {FILE}: {error!r}") from error


class _Reader:
    def __init__(self, report):
        self.report = report
        self.texts = report["texts"]
        self.notes = [
            dict(zip(("kind", "who", "text"), map(self._text, note))) for note in report["notes"]
        ]

    def model(self):
        model = {k: v for k, v in self.report.items() if k not in ("texts", "notes", "columns")}
        sections = [
            {**section, "tables": [self._table(table) for table in section["tables"]]}
            for section in self.report["sections"]
        ]
        return {**model, "schema": MODEL, "sections": sections}

    def _text(self, reference):
        if isinstance(reference, bool) or not isinstance(reference, int):
            return reference
        if reference < 0:
            raise LookupError(reference)
        return self.texts[reference]

    def _table(self, table):
        columns = [self.report["columns"][number] for number in table["columns"]]
        kinds = [column["kind"] for column in columns]
        shown = [{k: v for k, v in column.items() if k != "kind"} for column in columns]
        return {**table, "columns": shown, "rows": [self._row(r, kinds) for r in table["rows"]]}

    def _row(self, row, kinds):
        label, case, threads, cells, *notes = row
        label, case = self._text(label), self._text(case)
        if len(cells) != len(kinds):
            raise LookupError(f"{len(cells)} cells for {len(kinds)} columns")
        return {
            "label": label,
            "case": case,
            "threads": threads,
            "cells": [self._cell(c, kind, case, threads) for c, kind in zip(cells, kinds)],
            "notes": [dict(self.notes[number]) for number in (notes[0] if notes else [])],
        }

    def _cell(self, cell, kind, case, threads):
        if isinstance(cell, dict):
            return cell
        if cell is None:
            return _of_text(case, "code")
        if not isinstance(cell, list):
            return _of_text(self._text(cell), kind)
        if len(cell) == 1:
            command = f"nsop run '{case}' --variant {self._text(cell[0])} --threads {threads}"
            return _of_text(command, "code")
        return self._of_fields(cell, kind)

    def _of_fields(self, fields, kind):
        text, value, *more = fields
        if value is None:
            text = self._text(text)
            if kind in ITSELF:
                return _of_text(text, "missing")
        cell = {"kind": kind, "value": value, "text": text}
        if len(more) > 1 and more[0] is not None:
            cell["interval"] = more[:2]
        for key, field in zip(FIELDS, more[2:]):
            if field is not None:
                cell[key] = self._text(field)
        if kind == "rate":
            cell["unit"] = text.removesuffix(" ?").rpartition(" ")[2]
        if text.endswith(" ?"):
            cell["doubt"] = True
        return cell


def _of_text(text, kind):
    if kind in ("count", "bytes") and GROUPED.fullmatch(text):
        return {"kind": kind, "value": int(text.replace(",", "")), "text": text}
    if kind in ITSELF:
        return {"kind": kind, "value": text, "text": text}
    return {"kind": "missing", "value": None, "text": text}
