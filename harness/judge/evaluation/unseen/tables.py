"""CSV files of others: what is wrong with them is said in a line that names file and place."""

import csv
import gzip
import io
import math
from pathlib import Path
from urllib.parse import quote, unquote

from .. import files

NAMES = ("case_id", "series_id", "design", "block", "kernel", "host")  # columns of free text
MARK = "\ufeff"  # with which some programs begin a file


def rows_of(path, *columns):
    table = csv.DictReader(io.StringIO(text_of(path).removeprefix(MARK), newline=""))
    lacking = [c for c in columns if c not in (table.fieldnames or ())]
    if lacking:
        raise files.Refused(f"{path}:1: no column {', '.join(lacking)}")
    return list(table)


def number(path, row, column):
    try:
        value = float(row[column])
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise files.Refused(f"{path}: {column} {row[column]!r} is no number")
    return value


def effect_of(path, row):
    """In percent."""
    value = number(path, row, "effect_pct")
    if value <= -100:
        raise files.Refused(f"{path}: effect_pct {row['effect_pct']!r} leaves no time")
    return value


def night(path, row):
    value = number(path, row, "idx")
    if not (value >= 0 and value == int(value)):
        raise files.Refused(f"{path}: idx '{row['idx']}' is no night")
    return int(value)


def unpacked(path, folder):
    """The file, or a copy that is not compressed."""
    if path.suffix != ".gz":
        return path
    plain = folder / path.stem
    try:
        plain.write_bytes(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError) as error:
        raise files.Refused(f"{path}: can't be unpacked: {error}") from None
    return plain


def text_of(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise files.Refused(f"{path}: is no UTF-8 at byte {error.start}") from None


def records(path, text):
    """The fields of every line, without quotes."""
    reader = csv.reader(io.StringIO(text.removeprefix(MARK), newline=""), strict=True)
    try:
        for fields in reader:
            if any("\n" in field or "\r" in field for field in fields):
                raise files.Refused(f"{path}:{reader.line_num}: a line break within a field")
            yield fields
    except csv.Error as error:
        raise files.Refused(f"{path}:{reader.line_num}: {error}") from None


class Readable:
    """A CSV file as nsop-judge-eval reads it: the file itself, or, where it has quotes, a copy in
    which names are percent-encoded, so that no field has a comma. One line stays one line."""

    def __init__(self, path, folder):
        self.source = Path(path)
        text = text_of(self.source)
        self.path, self.is_copy = self.source, '"' in text or text.startswith(MARK)
        if not self.is_copy:
            return
        self.path = Path(folder) / f"plain-{self.source.name}"
        lines = records(self.source, text)
        columns = next(lines, [])
        names = [column in NAMES for column in columns]
        with open(self.path, "w", newline="", encoding="utf-8") as out:
            out.write(",".join(columns) + "\n")
            for fields in lines:
                encoded = names + [False] * (len(fields) - len(names))
                told = (quote(f) if e else f for f, e in zip(fields, encoded))
                out.write(",".join(told) + "\n")

    def ask(self, command, *arguments):
        """The program's answer, by the names that the source has."""
        if not self.is_copy:
            return files.ask(command, self.path, *arguments)
        try:
            answer = files.ask(command, self.path, *arguments)
        except files.Refused as refused:
            raise files.Refused(str(refused).replace(str(self.path), str(self.source))) from None
        return [
            {column: unquote(value) if column in NAMES else value for column, value in row.items()}
            for row in answer
        ]


def split_by(path, column, folder, values):
    """{value: a file of the lines that have it}; every line has one of the values. The columns and
    quotes stay as they are."""
    text = text_of(path)
    lines = list(records(path, text))
    head = lines[0] if lines else []
    if column not in head:
        return None
    at, parts = head.index(column), {value: [head] for value in values}
    for number_, fields in enumerate(lines[1:], 2):
        value = fields[at] if at < len(fields) else ""
        if value not in parts:
            raise files.Refused(
                f"{path}:{number_}: {column} '{value}' is none of {', '.join(values)}"
            )
        parts[value].append(fields)
    found = {}
    for value, kept in parts.items():
        found[value] = Path(folder) / f"{column}-{value}-{path.name}"
        with open(found[value], "w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows(kept)
    return found
