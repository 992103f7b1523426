"""Weighted minimax fits on points by Remez's exchange, in decimal arithmetic: the same digits on
every machine."""

import struct
from decimal import Decimal, localcontext

DIGITS = 50


def to_float32(value):
    """The nearest float, as a Python number."""
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


def ulp(value):
    """The unit in the last place of a float near the positive `value`."""
    exponent = 0
    while value < 1:
        value, exponent = value * 2, exponent - 1
    while value >= 2:
        value, exponent = value / 2, exponent + 1
    return Decimal(2) ** (exponent - 23)


def solve(rows):
    """The solution of a square system; each row ends with its right side."""
    rows = [list(row) for row in rows]
    count = len(rows)
    for i in range(count):
        pivot = max(range(i, count), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, count):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    solution = [Decimal(0)] * count
    for i in reversed(range(count)):
        known = sum(rows[i][j] * solution[j] for j in range(i + 1, count))
        solution[i] = (rows[i][count] - known) / rows[i][i]
    return solution


def residuals(basis, target, weight, coefficients):
    return [
        w * (t - sum(c * b for c, b in zip(coefficients, row)))
        for row, t, w in zip(basis, target, weight)
    ]


def exchanged(reference, errors, worst):
    """The reference with the worst point in place of a neighbour whose error has the same sign."""

    def same_sign(i, j):
        return (errors[i] > 0) == (errors[j] > 0)

    if worst < reference[0]:
        rest = reference[1:] if same_sign(reference[0], worst) else reference[:-1]
        return [worst] + rest
    if worst > reference[-1]:
        rest = reference[:-1] if same_sign(reference[-1], worst) else reference[1:]
        return rest + [worst]
    after = next(i for i, at in enumerate(reference) if at > worst)
    gone = after if same_sign(reference[after], worst) else after - 1
    return reference[:gone] + [worst] + reference[gone + 1 :]


def fit(basis, target, weight):
    """Coefficients whose largest weighted error over the points is least, and that error.

    basis[i] holds the values of the functions at point i; points ascend and every combination of
    the functions must have fewer zeros than there are functions.
    """
    with localcontext() as context:
        context.prec = DIGITS
        count = len(basis[0]) + 1
        last = len(basis) - 1
        reference = [round(i * last / (count - 1)) for i in range(count)]
        while True:
            rows = [
                [*basis[at], (1 if i % 2 == 0 else -1) / weight[at], target[at]]
                for i, at in enumerate(reference)
            ]
            *coefficients, level = solve(rows)
            errors = residuals(basis, target, weight, coefficients)
            worst = max(range(len(errors)), key=lambda i: abs(errors[i]))
            if abs(errors[worst]) <= abs(level) * Decimal("1.000001") or worst in reference:
                return coefficients, abs(errors[worst])
            reference = exchanged(reference, errors, worst)


def rounded_fit(basis, target, weight):
    """The same with coefficients that are floats, and the largest error before rounding any.

    Fitted from the last function down, each after the ones behind it were rounded.
    """
    rounded = []
    least = None
    with localcontext() as context:
        context.prec = DIGITS
        left = list(target)
        for count in range(len(basis[0]), 0, -1):
            coefficients, error = fit([row[:count] for row in basis], left, weight)
            least = error if least is None else least
            rounded.insert(0, to_float32(coefficients[-1]))
            left = [t - Decimal(rounded[0]) * row[count - 1] for t, row in zip(left, basis)]
        return rounded, least
