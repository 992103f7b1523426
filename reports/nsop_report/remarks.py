"""What rows of a section lack and why they are in doubt, by cause: remarks that differ in numbers
only are one, with the range of each number, and what a library lacks is one list."""

import re

FAILED = ("wrong", "error", "timeout", "lost")  # each said in full: no number of theirs is a range
SHOWN = 3  # rows that a remark names
NUMBER = r"(?:\+/-|[+-])?\d+(?:,\d{3})*(?:\.\d+)?"
# A number of its own or an interval `A .. B`: no part of a name, a version or a power. The margin
# of a verdict is no measurement: with another margin it is another cause.
SLOT = re.compile(
    rf"(?<!margin )(?<![\w.^/@+-])({NUMBER}(?: \.\. {NUMBER})?)(?![\w^]|[.,]\d)", re.ASCII
)
# Texts with one word that varies from op to op, and how they begin where several ops are listed.
OF_AN_OP = [
    (re.compile(r"(\S+) has no (?:op )?(\w+)"), "{} lacks: {}"),
    (re.compile(r"(\S+) runs (\w+) on one thread only"), "{} runs on one thread only: {}"),
]


def causes(section):
    """The remarks of all rows of a section: [{kind, text, count, rows, who, failed}], in the order
    of the rows. `count` is of remarks, one for each row and variant that has it; `who` is empty
    where the text or each of the `rows` names the variant."""
    groups = {}
    for kind, text, row, who in _of_rows(section):
        key, values = _shape(kind, text)
        group = groups.setdefault(key, {"kind": kind, "texts": {}, "values": [], "where": []})
        group["texts"][text] = None
        group["values"].append(values)
        group["where"].append((row, who))
    return [_cause(key, group) for key, group in groups.items()]


def _of_rows(section):
    """Every remark once: (kind, text, row, who)."""
    return dict.fromkeys(
        (note["kind"], note["text"], row["label"], note["who"])
        for table in section["tables"]
        for row in table["rows"]
        for note in row["notes"]
    )


def _shape(kind, text):
    """(what remarks of one cause have in common, what is each one's own)."""
    if kind in FAILED:
        return (kind, text), ()
    for place, (pattern, _) in enumerate(OF_AN_OP):
        if found := pattern.fullmatch(text):
            return (kind, place, found[1]), (found[2],)
    parts = SLOT.split(text)
    intervals = tuple(" .. " in number for number in parts[1::2])
    return (kind, tuple(parts[::2]), intervals), tuple(parts[1::2])


def _cause(key, group):
    columns = [list(dict.fromkeys(column)) for column in zip(*group["values"])]
    where = group["where"]
    variants = {who for _, who in where}
    common = len(variants) == 1
    in_text = isinstance(key[1], int) and {who.split("@")[0] for who in variants} == {key[2]}
    rows = [row if common or in_text else f"{row} ({who})" for row, who in where]
    return {
        "kind": group["kind"],
        "text": _text(key, group["texts"], columns),
        "count": len(where),
        "rows": list(dict.fromkeys(rows)),
        "who": variants.pop() if common and not in_text else "",
        "failed": group["kind"] in FAILED,
    }


def _text(key, texts, columns):
    """What all remarks of a cause say."""
    if len(texts) == 1:
        return next(iter(texts))
    if isinstance(key[1], int):
        return OF_AN_OP[key[1]][1].format(key[2], ", ".join(columns[0]))
    parts = [key[1][0]]
    for column, following in zip(columns, key[1][1:]):
        parts += [_range(column), following]
    return "".join(parts)


def _range(numbers):
    """`6 to 8`; of intervals `within -9.9 .. +2.0`, from the lowest end to the highest."""
    if len(numbers) == 1:
        return numbers[0]
    if " .. " in numbers[0]:
        low, high = zip(*(number.split(" .. ") for number in numbers))
        return f"within {min(low, key=_value)} .. {max(high, key=_value)}"
    return f"{min(numbers, key=_value)} to {max(numbers, key=_value)}"


def _value(number):
    return float(number.removeprefix("+/-").replace(",", ""))
