"""The model of a site, NDJSON of schema nsop.site/1: read line by line and checked.

`case` lines come first, then `gate` lines, then one `site` line, which is the last: a file without
it is cut short. What passes here renders.
"""

import json
import os

from nsop_report.errors import BAD_DATA, ReportError
from nsop_report.site import text
from nsop_report.site.fields import CASE, GATE, SITE, Wrong, check

SCHEMA = "nsop.site/1"
ORDER = ["case", "gate", "site"]
FIELDS = {"case": CASE, "gate": GATE, "site": SITE}
MOST_OF_A_LINE = 1 << 28  # bytes: no case has that many samples


class Survey:
    """What is known of a model before anything is written."""

    def __init__(self):
        self.cases, self.gates, self.rows, self.site = set(), set(), 0, None


def survey(path):
    """Reads the whole model and checks it. Raises ReportError (bad data)."""
    found = Survey()
    stage = 0
    for number, record in _lines(path):
        where = f"{path}: line {number}"
        if found.site is not None:
            raise ReportError(BAD_DATA, f"{where}: the `site` line must be the last")
        try:
            kind = _kind(record)
            if ORDER.index(kind) < stage:
                raise Wrong(f"a `{kind}` line behind a `{ORDER[stage]}` line")
            stage = ORDER.index(kind)
            _check_record(record, kind, found)
        except Wrong as wrong:
            raise ReportError(BAD_DATA, f"{where}: {wrong}") from wrong
    if found.site is None:
        raise ReportError(BAD_DATA, f"{path}: cut short: its last line is no `site` line")
    return found


def records(path):
    """The lines, in order, of a model that survey() found sound."""
    return (record for _, record in _lines(path))


def _lines(path):
    """(number, record) of each line, every text of it visible."""
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MOST_OF_A_LINE), b""), 1):
                if line.strip():
                    yield number, _parsed(line, f"{path}: line {number}")
    except OSError as error:
        raise ReportError(BAD_DATA, f"{path}: can't be read: {os.strerror(error.errno)}") from error


def _parsed(line, where):
    try:
        string = line.decode("utf-8").rstrip("\r\n")
        record = json.loads(string, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # JSON and UTF-8 errors are ValueErrors
        raise ReportError(BAD_DATA, f"{where}: no valid JSON: {error}") from error
    plain = "\\" not in string and string.isprintable()
    return record if plain else text.all_visible(record)


def _no_constant(name):
    raise ValueError(f"{name} is no JSON number")


def _kind(record):
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind not in ORDER:
        raise Wrong("expected an object whose `kind` is case, gate or site")
    return kind


def _check_record(record, kind, found):
    if kind == "site":
        schema = record.get("schema")
        if schema != SCHEMA:
            raise Wrong(f"schema is `{schema}`, this renderer reads `{SCHEMA}`")
        check(record, SITE, "site")
        found.site = record
        return
    check(record, FIELDS[kind], kind)
    known = found.cases if kind == "case" else found.gates
    if record["id"] in known:
        raise Wrong(f"two {kind}s have the id {record['id']}")
    known.add(record["id"])
    if kind == "case":
        ids = [row["id"] for row in record["rows"]]
        if len(set(ids)) != len(ids):
            raise Wrong("two rows have the same id")
        found.rows += len(ids)
