"""Where the numbers of kernels come from: the table of tanh is derived anew, every other polynomial
is held against the best one of its degree, every other constant against what it stands for.

Errors are measured where the comments in kernels/ state them; the constants are read out of the
sources.
"""

import re
from decimal import Decimal, getcontext
from pathlib import Path

import minimax
import pytest
import tanh_table

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
NUMBER = re.compile(r"-?(?:0x[\da-f.]+p[-+]?\d+|\d+\.\d+(?:e[-+]?\d+)?)")
POINTS = 201
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


@pytest.fixture(autouse=True)
def digits():
    getcontext().prec = 110


def body_of(name, file):
    """The text of the first definition of `name`, up to the closing brace in the first column."""
    text = (KERNELS / file).read_text()
    at = re.search(rf"(?m)^[^/\n]*\b{name}\b[^;]*?\{{\n", text)
    assert at, f"{file} has no {name}"
    return text[at.start() : text.index("\n}", at.end())]


def floats_of(text):
    """The numbers in a text as the floats that C++ makes of them, doubles where there is no f."""
    text = re.sub(r"//.*", "", text)
    values = []
    for match in NUMBER.finditer(text):
        number = match.group()
        exact = float.fromhex(number) if "x" in number else float(number)
        is_float = text[match.end() : match.end() + 1] == "f"
        values.append(minimax.to_float32(exact) if is_float else exact)
    return values


def table_of(name, file):
    text = (KERNELS / file).read_text()
    return floats_of(re.search(rf"{name}\[\d+\] = \{{(.*?)\}};", text, re.DOTALL).group(1))


def sine(x):
    term, total, n = x, x, 1
    while abs(term) > Decimal("1e-60"):
        term = -term * x * x / ((n + 1) * (n + 2))
        total, n = total + term, n + 2
    return total


def cosine(x):
    return sine(PI / 2 - x)


def mills(a):
    """Phi(-a) e^(a^2/2) for the normal distribution."""
    term = total = a
    n = 1
    while term > Decimal("1e-60"):
        n += 2
        term = term * a * a / n
        total += term
    half = Decimal("0.5")
    return (a * a / 2).exp() * half - total / (2 * PI).sqrt()


def points(low, high):
    """Closer at the ends; without 0, where the functions below would divide by it."""
    low, high = Decimal(low), Decimal(high)
    spread = [(1 - cosine(PI * i / (POINTS - 1))) / 2 for i in range(POINTS)]
    return [x for x in (low + (high - low) * s for s in spread) if abs(x) > Decimal("1e-12")]


ROUNDOFF = Decimal(2) ** -24
LN2 = Decimal("0.693147180559945309417232121458176568075500134360255254120680009")


def exp_rest(r):
    return (r.exp() - 1 - r) / (r * r)


def expm1_weight(r):
    return abs(r * r / (r.exp() - 1)) / ROUNDOFF


def log_rest(r):
    return ((1 + r).ln() - r) / (r * r)


def log_weight(r):
    return abs(r * r / (1 + r).ln()) / ROUNDOFF


def square_weight(r):
    return r * r / ROUNDOFF


def sin_rest(square):
    r = square.sqrt()
    return (sine(r) - r) / (r * square)


def cos_rest(square):
    return (cosine(square.sqrt()) - 1 + square / 2) / (square * square)


def power_of_two(t):
    return (t * LN2).exp()


def log2_rest(r):
    return (1 + r).ln() / (r * LN2)


def tail_rest(t):
    a = (1 / t - 1) / Decimal(minimax.to_float32(0.35))
    return mills(a) / t


# Name, file, which of the numbers in the function, from the highest power down; the function that
# they stand for, where, the weight of an error, and the largest error. The weight has
# the same unit: a roundoff (2^-24, half a ULP at a binade's lower end) but where said otherwise.
POLYNOMIALS = {
    "e^r - 1": (
        ("exp_polynomial", "math/exp_parts-inl.h", range(5)),
        (exp_rest, -LN2 / 2, LN2 / 2, expm1_weight, 0.29),
    ),
    "e^r, with tables": (
        ("exp_reduce", "math/exp_parts-inl.h", [4, 5]),
        (exp_rest, -LN2 / 32, LN2 / 32, square_weight, 0.03),
    ),
    "e^r - 1, with tables": (
        ("exp_reduce", "math/exp_parts-inl.h", [6, 7, 8]),
        (exp_rest, -LN2 / 32, LN2 / 32, expm1_weight, 0.006),
    ),
    "log(1 + r)": (
        ("log1p_rest", "math/log-inl.h", range(8)),
        (log_rest, -0.25, 0.5, log_weight, 0.61),
    ),
    "log(1 + r), with tables": (
        ("V log", "math/log-inl.h", [1, 2, 3, 4]),
        (log_rest, Decimal(-1) / 32, Decimal(1) / 16, log_weight, 0.07),
    ),
    "sin r": (
        ("sin_reduced", "math/trig-inl.h", range(3)),
        (sin_rest, 0, (PI / 4) ** 2, lambda square: square / ROUNDOFF, 0.13),
    ),
    "cos r": (
        ("cos_reduced", "math/trig-inl.h", range(3)),
        (cos_rest, 0, (PI / 4) ** 2, lambda square: square**2 / ROUNDOFF, 0.003),
    ),
    "log2(1 + r), relative, in 2^-35": (
        ("log2_of_one_plus", "math/power-inl.h", [12, *range(12)]),
        (log2_rest, -0.25, 0.5, lambda r: 2**35 / log2_rest(r), 1),
    ),
    "2^t, relative, in 2^-29": (
        ("exp2_double", "math/power-inl.h", [7, *range(6)]),
        (power_of_two, -0.5, 0.5, lambda t: 2**29 / power_of_two(t), 1),
    ),
    "Phi(-a) e^(a^2/2), relative": (
        ("normal_tail", "activations/activation-inl.h", range(3, 12)),
        (tail_rest, 1 / (1 + 16 * 0.35), 1, lambda t: 1 / tail_rest(t) / ROUNDOFF, 5.5),
    ),
}


class Polynomial:
    def __init__(self, where, what):
        name, file, chosen = where
        function, low, high, weight, self.bound = what
        numbers = floats_of(body_of(name, file))
        self.coefficients = [Decimal(numbers[i]) for i in reversed(chosen)]
        x = points(low, high)
        self.target = [function(v) for v in x]
        self.weight = [weight(v) for v in x]
        self.basis = [[v**k for k in range(len(chosen))] for v in x]

    def error(self):
        coefficients = self.coefficients
        return max(map(abs, minimax.residuals(self.basis, self.target, self.weight, coefficients)))

    def least_error(self):
        return minimax.fit(self.basis, self.target, self.weight)[1]


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_polynomial_is_nearly_the_best_of_its_degree(name):
    polynomial = Polynomial(*POLYNOMIALS[name])
    error = polynomial.error()
    assert error <= polynomial.bound
    assert error <= 3 * polynomial.least_error()


# What constants of one or more parts add up to.
SUMS = {
    ("math/exp_parts-inl.h", "1.44269504f"): 1 / LN2,
    ("math/exp_parts-inl.h", "0.693147182f", "-1.90465421e-9f"): LN2,
    ("math/exp_parts-inl.h", "0.693359375f", "-2.12194440e-4f"): LN2,
    ("math/math-inl.h", "1.44269504f"): 1 / LN2,
    ("math/math-inl.h", "0.693147182f"): LN2,
    ("math/log-inl.h", "0.693147182f"): LN2,
    ("math/log-inl.h", "0.693145752f", "1.42860677e-6f"): LN2,
    ("math/log-inl.h", "0x1.714p+0f", "0x1.47652cp-12f"): 1 / LN2,
    ("math/log-inl.h", "0x1.344p-2f", "0x1.3509f8p-18f"): LN2 / Decimal(10).ln(),
    ("math/log-inl.h", "0x1.bcap-2f", "0x1.7b1526p-14f"): 1 / Decimal(10).ln(),
    ("math/trig-inl.h", "0.636619747f"): 2 / PI,
    ("math/trig-inl.h", "0x1.921fb4p+0f", "0x1.4442dp-24f", "0x1.846988p-48f"): PI / 2,
    ("math/trig-inl.h", "0x1.921fb544p+0", "0x1.0b4611a626331p-34"): PI / 2,
    ("activations/activation-inl.h", "0.693147182f"): LN2,
    ("activations/activation-inl.h", "1.59576912f"): (8 / PI).sqrt(),
    ("activations/activation-inl.h", "0.0713548163f"): (8 / PI).sqrt() * Decimal("0.044715"),
    ("activations/activation-inl.h", "0.398942280f"): 1 / (2 * PI).sqrt(),
    ("gemm/activation.cpp", "1.595769122f"): (8 / PI).sqrt(),
    ("conv/winograd/winograd-inl.h", "0.70710678118654752f"): Decimal("0.5").sqrt(),
    ("conv/winograd/winograd-inl.h", "1.41421356237309505f"): Decimal(2).sqrt(),
}


@pytest.mark.parametrize("where", SUMS, ids=" ".join)
def test_the_parts_of_a_constant_add_up_to_it(where):
    file, *parts = where
    text = (KERNELS / file).read_text()
    for part in parts:
        assert part.removeprefix("-") in text
    *_, last = values = [Decimal(floats_of(part)[0]) for part in parts]
    places = 23 if parts[-1].endswith("f") else 52
    assert abs(sum(values) - SUMS[where]) <= abs(last) * Decimal(2) ** -places


def test_powers_of_two_are_rounded_and_the_rest_is_what_they_lack():
    powers = table_of("kExp2Table", "math/exp_parts-inl.h")
    rests = table_of("kExp2Rest", "math/exp_parts-inl.h")
    assert len(powers) == len(rests) == 16
    for j, (power, rest) in enumerate(zip(powers, rests)):
        exact = power_of_two(Decimal(j) / 16)
        assert power == minimax.to_float32(exact)
        assert rest == minimax.to_float32(exact / Decimal(power) - 1)


def test_logarithms_of_the_scales_are_nearly_floats():
    scales = table_of("kLogScale", "math/log-inl.h")
    logs = table_of("kLogOfScale", "math/log-inl.h")
    assert len(scales) == len(logs) == 16
    for scale, log in zip(scales, logs):
        assert abs(Decimal(log) + Decimal(scale).ln()) < Decimal("1e-4") * ROUNDOFF


def test_the_table_of_tanh_is_what_its_generator_derives():
    assert tanh_table.committed(tanh_table.HEADER.read_text()) == tanh_table.derived()


def test_the_generator_writes_a_table_that_it_reads(monkeypatch, tmp_path, capsys):
    header = tmp_path / "table.h"
    header.write_text(tanh_table.HEADER.read_text().replace("0x1.", "0x1.1"))
    monkeypatch.setattr(tanh_table, "HEADER", header)
    assert tanh_table.main([]) == 1
    assert "--write" in capsys.readouterr().out
    assert tanh_table.main(["--write"]) == 0
    assert tanh_table.main([]) == 0
    assert tanh_table.main(["--help"]) == 2


def test_every_argument_has_the_index_of_its_interval():
    for index in range(tanh_table.INTERVALS):
        begin, end = tanh_table.interval(index)
        for part in (0.01, 0.5, 0.99):
            assert tanh_table.index_of(begin + part * (end - begin)) == index


def test_a_fit_is_the_best_one_known():
    # The best line for x^2 on [0, 1] is x - 1/8, off by 1/8.
    x = [Decimal(i) / 100 for i in range(101)]
    basis = [[Decimal(1), v] for v in x]
    (constant, slope), error = minimax.fit(basis, [v * v for v in x], [Decimal(1)] * 101)
    assert [constant, slope, error] == [Decimal("-0.125"), 1, Decimal("0.125")]
    assert minimax.ulp(Decimal("0.75")) == Decimal(2) ** -24
    assert minimax.ulp(Decimal(5)) == Decimal(2) ** -21
