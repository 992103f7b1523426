#!/usr/bin/env python3
"""Fails if a document quotes a measured number that nothing in the tree holds.

Looked at: README.md, CONTRIBUTING.md, docs/*.md, the README of every folder, and what authors
write in harness/suites/*.toml (`about`, `note`, `why`, `tried`). Code, and what
tools/readme_table.py writes between its markers, are left out. CHANGELOG.md tells of its days.

A figure is a number with a unit of measurement: a time up to seconds, `x` or `times as`, `% more`,
`% of` and the like, a rate, bytes of heap or RSS. A time, a share or bytes after "at most", "more
than" and the like is a bound, and no figure. Each figure of a paragraph, a list item or a table
must be held by

- a committed report that the paragraph names: a link to reports/generated/NAME.md or "report NAME"
  (a suite's "column ..." and "table ..." mean its own report). What authors wrote into a report
  doesn't count;
- or a data file (.csv, .tsv, .json, .ndjson) that it names by its path. Numbers are compared as
  printed: a source may have more digits;
- or by what a comment says, in the paragraph or before it (in a suite on the line above: # ...):
  <!-- measured elsewhere: WHERE --> where WHERE is a file of the tree or a source in words, or
  <!-- not measured: WHY --> of constants and examples. A data file named there is compared, too.

A report or file that is named must exist, and the releases named beside a report stand in it.

usage: tools/check_quoted_numbers.py [ROOT]
Exit 1 if there are such numbers.
"""

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "reports"), str(ROOT / "tools/lint")]

import sources  # noqa: E402
from nsop_report import errors, expand  # noqa: E402

GENERATED = Path("reports/generated")
DATA = {".csv", ".tsv", ".json", ".ndjson"}
PROSE = 100  # characters, from which on the text of a cell is what somebody wrote
AUTHORS = ("about", "note", "why", "tried")

NUMBER = r"\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
START = r"(?<![\w.,/^-])(?<![A-Za-z]\()"
TIMES = {"ns": 1, "nanoseconds": 1, "µs": 1e3, "μs": 1e3, "us": 1e3, "microseconds": 1e3}
TIMES.update({"ms": 1e6, "milliseconds": 1e6, "s": 1e9, "seconds": 1e9})
BYTES = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
RATES = {"gflop/s": 1e9, "mflop/s": 1e6, "gb/s": 1e9, "mb/s": 1e6, "gib/s": 2**30}
MORE, LESS = ("more", "slower", "longer"), ("less", "faster")
WORDS = "|".join(MORE + LESS)
UNITS = "|".join(
    [
        r"(?P<time>" + "|".join(sorted(TIMES, key=len, reverse=True)) + r")(?![\w=/])",
        rf"(?P<ratio>(?<=\d)x(?!\w)|x(?= faster| slower)|times as \w+|times(?= (?:{WORDS})))",
        r"(?P<of_time>of (?:the |its |our )?(?:[\w']+ )?time\b)",
        r"(?P<rate>(?:[GM]FLOP|[GM]i?B)/s)",
        r"(?P<counted>(?:game )?(?:episodes|moves|games|steps)(?= per |/s)(?:/s)?)",
        r"(?P<bytes>[KMG]i?B\b)",
        r"(?P<percent>(?:%|per cent\b|percent\b))",
    ]
)
FIGURE = re.compile(
    rf"{START}(?:(?P<low>{NUMBER})(?: to | and |–)(?=\d))?(?P<high>{NUMBER})"
    rf"[ \u00a0]?(?:{UNITS})"
    rf"(?:,? (?P<way>{WORDS})\b)?"
)
# Shares and bytes are figures of a document beside these words only: others are rules and sizes.
AFTER = {
    "percent": re.compile(rf" (?:{WORDS}|of)\b"),
    "bytes": re.compile(r" of (?:heap|RSS|resident)| peak"),
}
BOUND = re.compile(
    r"(?:at least|at most|(?:more|less|fewer|longer) than|above|below|beyond|within|under|over|"
    r"up to|[<>]=?)(?: an?| the)?[ (]*$"
)
BOUNDED = ("time", "percent", "bytes")
RELEASE = re.compile(r"(?<![\w.])v?(\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?)(?![\w.]*\w)")
REPORT = re.compile(r"\breports?\s+`?([a-z][a-z0-9_]*)`?")
LINKED = re.compile(r"reports/generated/([\w-]+)\.(?:md|json)")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
MARK = re.compile(r"<!-- (measured elsewhere|not measured): (.+?) -->", re.DOTALL)
TOML_MARK = re.compile(r"# (measured elsewhere|not measured): (.+)")
STRING = re.compile(rf'(?:{"|".join(AUTHORS)}) = "(.*)"\s*$')
KEPT = re.compile(r"<!-- (report|gate):begin -->.*?<!-- \1:end -->", re.DOTALL)


class Block(NamedTuple):
    """A paragraph, list item, table, or string of a suite."""

    where: str
    text: str
    marks: tuple  # of (kind, text)
    own: str = ""  # the report that "column" and "table" mean


class Figure(NamedTuple):
    kind: str
    value: float
    error: float  # half a unit of the last printed digit
    way: int  # -1 less or faster, 1 more or slower, 0 not said
    text: str
    scale: float = 1  # of the unit


def printed(text):
    """Every figure that a text prints; of "3 to 4 ms" both."""
    return [one for match in FIGURE.finditer(text) for one in _of(match)]


def quoted(text):
    """The figures that a document has to answer for."""
    for match in FIGURE.finditer(text):
        kind, before = _kind(match), text[: match.start()]
        after = AFTER.get(kind)
        told = not after or after.match(text, match.end(kind)) or before.endswith(" by ")
        if told and not (kind in BOUNDED and BOUND.search(before)):
            yield from _of(match)


def _kind(match):
    return next(name for name in KINDS if match[name])


KINDS = ("time", "ratio", "of_time", "rate", "counted", "bytes", "percent")


def _of(match):
    kind = _kind(match)
    unit, factor = match[kind], 1
    if kind in ("time", "bytes"):
        factor = {**TIMES, **BYTES}[unit]
    elif kind == "rate":
        kind, factor = f"rate of {unit[1:].lower()}", RATES[unit.lower()]
    elif kind == "counted":
        kind = unit.removesuffix("/s").removeprefix("game ")
    elif kind == "of_time":
        kind = "ratio"
    way = (match["way"] in MORE) - (match["way"] in LESS)
    for number in filter(None, (match["low"], match["high"])):
        digits, _, power = number.replace(",", "").lower().partition("e")
        scale = factor * 10 ** int(power or 0)
        slack = 0.5 * 10 ** -len(digits.partition(".")[2]) * scale
        yield Figure(kind, float(digits) * scale, slack, way, f"{number} {unit}", scale)


def held_by(figure, held):
    """Does one of `held` print as `figure` does, rounded to it? Plain numbers have any unit."""
    for other in held:
        for scale in (1, figure.scale) if other.kind == "" else (1,):
            off = abs(other.value * scale - figure.value)
            near = off <= figure.error * (1 + 1e-9) + 1e-12 * figure.value
            if other.kind in (figure.kind, "") and near and other.way * figure.way >= 0:
                return True
    return False


class Tree:
    """The documents and the sources of a checkout."""

    def __init__(self, root):
        self.root = root
        self.held = {}  # path: (figures, text)
        self.reports = {path.stem for path in (root / GENERATED).glob("*.md")} - {"README"}

    def source(self, path):
        if path not in self.held:
            text = _printed(self.root / path)
            plain = path.suffix in DATA and path.parent != GENERATED
            found = list(_plain_numbers(text)) if plain else printed(text)
            self.held[path] = (found, text)
        return self.held[path]

    def report(self, name):
        path = GENERATED / f"{name}.json"
        return path if (self.root / path).is_file() else GENERATED / f"{name}.md"

    def named(self, block):
        """(sources that a block names, problems with the names)."""
        found, problems = set(), []
        places = block.text + " " + " ".join(text for _, text in block.marks)
        for name in REPORT.findall(places) + LINKED.findall(places):
            if name == "README":  # the index of the reports: no source of a number
                continue
            if name in self.reports:
                found.add(self.report(name))
            elif f"`{name}`" in places or f"/{name}." in places:
                problems.append(f"{block.where}: names a report that is not committed: {name}")
        for name in PATH.findall(places):
            path = Path(name.rstrip("."))
            if path.suffix in DATA and path.parent != GENERATED and (self.root / path).is_file():
                found.add(path)
        if block.own in self.reports and re.search(r"\b([Cc]olumn|[Tt]able)s? [A-Z]", block.text):
            found.add(self.report(block.own))
        for kind, text in block.marks:
            path = re.match(r"[\w.-]+(/[\w.-]+)+(?=$|[\s,:])", text)
            if kind == "measured elsewhere" and path and not (self.root / path[0]).exists():
                problems.append(f"{block.where}: there is no {path[0]}")
        return found, problems


def _printed(path):
    """What a source says by itself: of a report its cells and its head, not its authors' texts."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json" or path.parent.name != GENERATED.name:
        return text
    report = json.loads(text)
    if not str(report.get("schema", "")).startswith("nsop.report/"):
        return path.with_suffix(".md").read_text(encoding="utf-8")
    report = expand.expanded(report)
    parts = [
        report.get("summary"),
        report.get("headline"),
        report.get("footer"),
        report.get("head"),
    ]
    for section in report["sections"]:
        parts += [section["title"], [table["rows"] for table in section["tables"]]]
        parts += [[table["title"] for table in section["tables"]]]
    return "\n".join(_texts(parts))


def _texts(value):
    """The texts of a part of a report without its remarks, and without prose in cells."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict) and isinstance(value.get("kind"), str):
        text, unit = value.get("text") or "", value.get("unit") or ""
        if len(text) < PROSE:
            yield text if unit in text else f"{text.rstrip(' ?')} {unit}"
            yield value.get("interval_text") or ""
    elif isinstance(value, dict):
        yield from _texts([part for key, part in value.items() if key not in ("note", "notes")])


def _plain_numbers(text):
    """The numbers of a data file, whose columns say the units."""
    for number in re.findall(rf"(?<![\w.-]){NUMBER.replace(',', '', 1)}", text):
        value = float(number.replace(",", ""))
        yield Figure("", value, 0, 0, number)
    yield from printed(text)


def problems_of(block, tree):
    named, problems = tree.named(block)
    told = bool(block.marks)
    for figure in quoted(_prose(block.text)):
        if held_by(figure, [one for path in named for one in tree.source(path)[0]]):
            continue
        data = [path for path in named if path.suffix in DATA and path.parent != GENERATED]
        if told and not data:
            continue
        if named:
            names = ", ".join(sorted(path.as_posix() for path in named))
            problems.append(f"{block.where}: {figure.text}: not found in {names}")
        else:
            problems.append(f"{block.where}: {figure.text}: where was it measured? Name the report")
    reports = [path for path in named if path.parent == GENERATED]
    for release in RELEASE.findall(_prose(block.text)) if reports and not told else []:
        if not any(release in tree.source(path)[1] for path in reports):
            problems.append(f"{block.where}: the report named here has no {release}")
    return problems


def _prose(text):
    """The text without inline code, links' targets and comments."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return " ".join(re.sub(r"`[^`]*`", "`", text).split())


def blocks_of_markdown(name, text):
    text = KEPT.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = re.sub(r"^ *```.*?^ *```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    lines, first, before = [], 0, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        starts = re.match(r"\s*([-*+]|\d+\.) |#", line) or (
            lines and line.startswith("|") != lines[-1].startswith("|")
        )
        if lines and (not line.strip() or starts):
            whole = "\n".join(lines)
            if MARK.sub("", whole).strip():
                yield Block(f"{name}:{first}", whole, tuple(MARK.findall(before + whole)))
                before = ""
            else:  # a comment by itself is of the next paragraph
                before = whole
            lines = []
        if line.strip():
            first = first if lines else number
            lines.append(line)


def blocks_of_suite(name, text):
    marks = []
    for number, line in enumerate(text.splitlines(), 1):
        mark, string = TOML_MARK.fullmatch(line.strip()), STRING.match(line.strip())
        if string:
            yield Block(f"{name}:{number}", string[1], tuple(marks), Path(name).stem)
        marks = [*marks, mark.groups()] if mark else []


def documents(root):
    """Paths, relative to `root`, of what is looked at."""
    for path in sources.project_files(root):
        folder = path.parent.as_posix()
        if folder == "harness/suites" and path.suffix == ".toml":
            yield path
        elif path.suffix == ".md" and folder != GENERATED.as_posix():
            if path.name in ("README.md", "CONTRIBUTING.md") or folder == "docs":
                yield path


def check(root):
    """Problems, one line each."""
    tree, problems = Tree(root), []
    for path in documents(root):
        text = (root / path).read_text(encoding="utf-8")
        blocks = blocks_of_suite if path.suffix == ".toml" else blocks_of_markdown
        for block in blocks(path.as_posix(), text):
            problems += problems_of(block, tree)
    return problems


def main(arguments):
    try:
        problems = check(Path(arguments[0]) if arguments else ROOT)
    except (OSError, ValueError, errors.ReportError) as error:
        print(f"check_quoted_numbers: {error}", file=sys.stderr)
        return 1
    for problem in problems:
        print(problem)
    print(f"check_quoted_numbers: {len(problems)} problems", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
