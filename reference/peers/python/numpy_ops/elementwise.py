"""Element-wise ops in NumPy: functions that prepare the call of one step.

Each takes a case, its inputs and its outputs, and returns what runs. Intermediate results lie in
the output or in scratch arrays that live as long as the step.
"""

from functools import partial

import numpy as np
from nsop_row import Step, Unsupported

F = np.float32
ZERO, ONE = F(0), F(1)
OPS = {}


def op(function, *names):
    for name in names or (function.__name__,):
        OPS[name] = function
    return function


def forward_of(call):
    """An op without a backward pass that is one call: call(x, out=y)."""

    def prepare(_, inputs, outputs):
        return partial(call, *inputs, out=outputs[0])

    return prepare


for _name, _call in {
    "abs": np.absolute,
    "neg": np.negative,
    "square": np.square,
    "sqrt": np.sqrt,
    "recip": np.reciprocal,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "sign": np.sign,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}.items():
    OPS[_name] = forward_of(_call)


@op
def nop(_, inputs, outputs):
    return partial(np.copyto, outputs[0], inputs[0])


def power(c, inputs, outputs):
    return partial(np.power, inputs[0], F(c.number("e")), out=outputs[0])


OPS["pow"] = power


@op
def clip(c, inputs, outputs):
    return partial(np.clip, inputs[0], F(c.number("lo")), F(c.number("hi")), out=outputs[0])


@op
def scale(c, inputs, outputs):
    return partial(np.multiply, inputs[0], F(c.number("alpha")), out=outputs[0])


@op
def axpy(c, inputs, outputs):
    (x, y), (out,), alpha = inputs, outputs, F(c.number("alpha"))

    def run():
        np.multiply(x, alpha, out=out)
        np.add(out, y, out=out)

    return run


@op
def fma(_, inputs, outputs):
    (a, b, c), (out,) = inputs, outputs

    def run():
        np.multiply(a, b, out=out)
        np.add(out, c, out=out)

    return run


@op
def compare(c, inputs, outputs):
    calls = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
    return partial(calls[c.text("cmp")], *inputs, out=outputs[0], casting="unsafe")


@op
def where(_, inputs, outputs):
    (cond, a, b), (out,) = inputs, outputs
    mask = np.empty(cond.shape, bool)

    def run():
        np.greater(cond, ZERO, out=mask)
        np.copyto(out, b)
        np.copyto(out, a, where=mask)

    return run


def _masked(dy, mask, out):
    np.multiply(dy, mask, out=out)


@op
def relu(c, inputs, outputs):
    (out,) = outputs
    if c.forward:
        return partial(np.maximum, inputs[0], ZERO, out=out)
    x, dy = inputs
    mask = np.empty(x.shape, bool)

    def run():
        np.greater(x, ZERO, out=mask)
        _masked(dy, mask, out)

    return run


@op
def relu6(c, inputs, outputs):
    (out,) = outputs
    if c.forward:
        return partial(np.clip, inputs[0], ZERO, F(6), out=out)
    x, dy = inputs
    mask, below = np.empty(x.shape, bool), np.empty(x.shape, bool)

    def run():
        np.greater(x, ZERO, out=mask)
        np.less(x, F(6), out=below)
        np.logical_and(mask, below, out=mask)
        _masked(dy, mask, out)

    return run


@op
def leaky_relu(c, inputs, outputs):
    (out,), alpha = outputs, F(c.number("alpha"))
    x = inputs[0]
    mask = np.empty(x.shape, bool)
    value = x if c.forward else inputs[1]

    def run():
        np.greater(x, ZERO, out=mask)
        np.multiply(value, alpha, out=out)
        np.copyto(out, value, where=mask)

    return run


@op
def elu(c, inputs, outputs):
    (out,), alpha = outputs, F(c.number("alpha"))
    x = inputs[0]
    mask = np.empty(x.shape, bool)

    def forward():
        np.greater(x, ZERO, out=mask)
        np.minimum(x, ZERO, out=out)
        np.expm1(out, out=out)
        np.multiply(out, alpha, out=out)
        np.copyto(out, x, where=mask)

    def backward():
        dy = inputs[1]
        np.greater(x, ZERO, out=mask)
        np.minimum(x, ZERO, out=out)
        np.exp(out, out=out)
        np.multiply(out, alpha, out=out)
        np.multiply(out, dy, out=out)
        np.copyto(out, dy, where=mask)

    return forward if c.forward else backward


@op
def tanh(c, inputs, outputs):
    (out,) = outputs
    if c.forward:
        return partial(np.tanh, inputs[0], out=out)
    y, dy = inputs

    def run():
        np.multiply(y, y, out=out)
        np.subtract(ONE, out, out=out)
        np.multiply(out, dy, out=out)

    return run


def logistic(x, out):
    np.negative(x, out=out)
    np.exp(out, out=out)
    np.add(out, ONE, out=out)
    np.reciprocal(out, out=out)


@op
def sigmoid(c, inputs, outputs):
    (out,) = outputs
    if c.forward:
        return partial(logistic, inputs[0], out)
    y, dy = inputs

    def run():
        np.subtract(ONE, y, out=out)
        np.multiply(out, y, out=out)
        np.multiply(out, dy, out=out)

    return run


@op
def silu(c, inputs, outputs):
    (out,), x = outputs, inputs[0]
    s = np.empty_like(x)

    def forward():
        logistic(x, out)
        np.multiply(out, x, out=out)

    def backward():  # s (1 + x (1 - s)) dy
        logistic(x, s)
        np.subtract(ONE, s, out=out)
        np.multiply(out, x, out=out)
        np.add(out, ONE, out=out)
        np.multiply(out, s, out=out)
        np.multiply(out, inputs[1], out=out)

    return forward if c.forward else backward


@op
def softplus(c, inputs, outputs):
    (out,) = outputs
    if c.forward:
        return partial(np.logaddexp, inputs[0], ZERO, out=out)

    def run():
        logistic(inputs[0], out)
        np.multiply(out, inputs[1], out=out)

    return run


# 2 sqrt(2/pi) x (1 + 0.044715 x^2); gelu(x) = x / (1 + exp(-that)), which 0.5 x (1 + tanh(that/2))
# would round away where tanh comes near -1.
SLOPE, CUBIC = F(2 * np.sqrt(2 / np.pi)), F(0.044715)


def _gelu_exponent(x, out):
    np.multiply(x, x, out=out)
    np.multiply(out, CUBIC * SLOPE, out=out)
    np.add(out, SLOPE, out=out)
    np.multiply(out, x, out=out)


def _gelu_gate(x, out, scratch):
    _gelu_exponent(x, scratch)
    logistic(scratch, out)


def gelu_forward(x, out, scratch):
    """May be in place."""
    gate = scratch if out is x else out
    _gelu_gate(x, gate, scratch)
    np.multiply(gate, x, out=out)


@op
def gelu(c, inputs, outputs):
    if c.text("form") == "erf":
        raise Unsupported("NumPy has no erf")
    (out,), x = outputs, inputs[0]
    s, rest = np.empty_like(x), np.empty_like(x)
    if c.forward:
        return partial(gelu_forward, x, out, s)

    def backward():  # s (1 + r x slope (1 + 3 * 0.044715 x^2)) dy, r = 1 - s without cancellation
        _gelu_exponent(x, rest)
        logistic(rest, s)
        np.exp(rest, out=rest)
        np.add(rest, ONE, out=rest)
        np.reciprocal(rest, out=rest)
        np.multiply(x, x, out=out)
        np.multiply(out, F(3) * CUBIC * SLOPE, out=out)
        np.add(out, SLOPE, out=out)
        np.multiply(out, x, out=out)
        np.multiply(out, rest, out=out)
        np.add(out, ONE, out=out)
        np.multiply(out, s, out=out)
        np.multiply(out, inputs[1], out=out)

    return backward


@op
def dropout(c, inputs, outputs):
    rate = c.number("rate")
    keep = F(1 / (1 - rate))
    if not c.forward:
        return partial(np.multiply, *inputs, out=outputs[0])
    (x,), (y, mask) = inputs, outputs
    random = np.random.Generator(np.random.SFC64(1))
    kept = np.empty(x.shape, bool)

    def run():
        random.random(out=mask, dtype=F)
        np.greater_equal(mask, F(rate), out=kept)
        np.multiply(kept, keep, out=mask)
        np.multiply(x, mask, out=y)

    return Step(run, lambda: outputs, "out= preallocated, SFC64")
