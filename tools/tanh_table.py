#!/usr/bin/env python3
"""Derives the table of kernels/math/tanh_table-inl.h, whose head says what its polynomials are.

usage: tools/tanh_table.py [--write]
Without --write changes nothing and exits 1 if the header has other numbers.
"""

import math
import re
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import minimax

HEADER = Path(__file__).resolve().parents[1] / "kernels/math/tanh_table-inl.h"
TABLE = re.compile(r"(constexpr float kTanhTerms\[5\]\[32\] = \{)(.*?)(\};)", re.DOTALL)

INTERVALS = 32
LIMIT = 9.3
SLOPE, SHIFT = 0.805, 0.5
CENTRE = 1.375
POINTS = 128  # per interval


def index_of(a):
    """The interval of a: two bits of the exponent of z and three of its mantissa."""
    mantissa, exponent = math.frexp(SLOPE * a + SHIFT)
    return ((exponent + 2) % 4) * 8 + int((2 * mantissa - 1) * 8)


def interval(index):
    """Where the interval begins and ends."""
    octave = [1, 2, -1, 0][index // 8]
    borders = [2.0**octave * (1 + (index % 8 + end) / 8) for end in (0, 1)]
    begin, end = ((z - SHIFT) / SLOPE for z in borders)
    return max(begin, 0.0), min(end, LIMIT)


def points_of(index):
    """From end to end, closer at the ends; without 0, where any polynomial here is right."""
    begin, end = interval(index)
    angles = [math.pi * i / (POINTS - 1) for i in range(POINTS)]
    points = [begin + (end - begin) * (1 - math.cos(angle)) / 2 for angle in angles]
    return [Decimal(a) for a in points if a > 0]


def tanh(a):
    e = (-2 * a).exp()
    return (1 - e) / (1 + e)


def terms_of(index):
    """b0 to b4 of an interval."""
    with localcontext() as context:
        context.prec = minimax.DIGITS
        points = points_of(index)
        target = [tanh(a) for a in points]
        weight = [1 / minimax.ulp(t) for t in target]
        centre = Decimal(CENTRE)
        basis = [[Decimal(1), *(a * (a - centre) ** k for k in range(4))] for a in points]
    if interval(index)[0] == 0:
        terms, _ = minimax.rounded_fit([row[1:] for row in basis], target, weight)
        return [0.0, *terms]
    terms, _ = minimax.rounded_fit(basis, target, weight)
    return terms


def derived():
    """table[term][interval]"""
    return [list(column) for column in zip(*(terms_of(i) for i in range(INTERVALS)))]


def literal(value):
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}f" if value else "0.0f"


def committed(text):
    table = TABLE.search(text).group(2)
    numbers = [float.fromhex(n) for n in re.findall(r"-?0x[0-9a-f.]+p[-+]?\d+|0\.0(?=f)", table)]
    return [numbers[i : i + INTERVALS] for i in range(0, len(numbers), INTERVALS)]


def main(arguments):
    if arguments not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = HEADER.read_text()
    table = derived()
    if committed(text) == table:
        return 0
    if not arguments:
        print(f"{HEADER.name}: other numbers than derived; run: tools/tanh_table.py --write")
        return 1
    rows = ",\n".join("    {" + ", ".join(map(literal, row)) + "}" for row in table)
    HEADER.write_text(TABLE.sub(lambda m: f"{m[1]}\n{rows},\n{m[3]}", text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
