"""Lines of JSON as columns, so that xz finds what is alike in them: two fifths smaller than lines.

Lines that differ in their values only share a shape: the line with NUL in place of each number and
each string that is no key. A text of columns has, separated by U+0001, which JSON escapes in
strings: the mark; the shapes, a line each; the shape of each line, by its place; for each place
of each shape the values that stood there, a line each. A value that is the same as the one above is
left empty. A column of whole numbers may begin with a line `-`: then each is what must be added to
the number at the place before. The lines come back byte for byte.
"""

import re

MARK = "nsop.columns/2"
_FIRST = "nsop.columns/1"  # neither left anything empty nor had differences
_APART = "\x01"
_HOLE = "\0"
_DIFFERENCES = "-"
_STRING = r'"(?:[^"\\]|\\.)*"'
_VALUE = re.compile(rf"{_STRING}:|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|{_STRING})")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")


def is_columns(text):
    return text.startswith((MARK + _APART, _FIRST + _APART))


def to_columns(text):
    """The columns of lines of JSON. ValueError: the text holds NUL or U+0001, which is no JSON."""
    if _HOLE in text or _APART in text:
        raise ValueError("a control character")
    shapes, order, values = {}, [], []
    for line in text.split("\n"):
        found = [match[1] for match in _VALUE.finditer(line) if match[1] is not None]
        shape = _VALUE.sub(lambda match: match[0] if match[1] is None else _HOLE, line)
        place = shapes.setdefault(shape, len(shapes))
        if place == len(values):
            values.append([[] for _ in found])
        for column, value in zip(values[place], found, strict=True):
            column.append(value)
        order.append(str(place))
    columns = [
        _written(column, of_shape[i - 1] if i > 0 else [])
        for of_shape in values
        for i, column in enumerate(of_shape)
    ]
    return _APART.join([MARK, "\n".join(shapes), " ".join(order), *columns])


def _written(column, before):
    lines = _differences(column, before) or column
    once = ["" if i > 0 and line == lines[i - 1] else line for i, line in enumerate(lines)]
    return "\n".join(once if lines is column else [_DIFFERENCES, *once])


def _differences(column, before):
    """Of two columns of whole numbers, where they are shorter by half a digit each; else None."""
    if not before or not all(map(_WHOLE.fullmatch, (*before, *column))):
        return None
    apart = [str(int(value) - int(other)) for value, other in zip(column, before, strict=True)]
    return apart if sum(map(len, apart)) < sum(map(len, column)) - len(column) / 2 else None


def _read(text, before, most):
    """The values of a column, at most so many characters of them."""
    lines = text.split("\n")
    differ = lines[0] == _DIFFERENCES
    if differ:
        del lines[0]
    if differ and len(lines) != len(before):
        raise ValueError("a column that is too short")
    values, size, last = [], 0, ""
    for i, line in enumerate(lines):
        last = line or last
        values.append(_sum(before[i], last) if differ else last)
        size += len(values[-1])
        if size > most:
            raise ValueError(f"more than {most >> 20} MiB when unpacked")
    return values


def _sum(value, difference):
    if not _WHOLE.fullmatch(value) or not _WHOLE.fullmatch(difference):
        raise ValueError("no whole number")
    return str(int(value) + int(difference))


def to_lines(text, most):
    """The lines whose columns the text is. ValueError: no columns, or over `most` characters."""
    mark, *parts = text.split(_APART)
    if mark not in (MARK, _FIRST) or len(parts) < 2:
        raise ValueError("no columns")
    shapes = [shape.split(_HOLE) for shape in parts[0].split("\n")]
    order = [int(place) for place in parts[1].split(" ")]
    if any(not 0 <= place < len(shapes) for place in order):
        raise ValueError("a line of no shape")
    lengths = [sum(map(len, shape)) for shape in shapes]
    left = most - sum(lengths[place] + 1 for place in order)
    if left < 0:
        raise ValueError(f"more than {most >> 20} MiB when unpacked")
    if sum(len(shape) - 1 for shape in shapes) != len(parts) - 2:
        raise ValueError("not a column for each place of each shape")
    texts = iter(parts[2:])
    values = []
    for shape in shapes:
        columns = []
        for _ in shape[1:]:
            columns.append(_read(next(texts), columns[-1] if columns else [], most))
            left -= sum(map(len, columns[-1]))
        values.append([iter(column) for column in columns])
    if left < 0:
        raise ValueError(f"more than {most >> 20} MiB when unpacked")
    lines = []
    for place in order:
        first, *others = shapes[place]
        words = [first]
        for column, word in zip(values[place], others, strict=True):
            value = next(column, None)
            if value is None:
                raise ValueError("a column that is too short")
            words += (value, word)
        lines.append("".join(words))
    return "\n".join(lines)
