"""Element-wise ops in NumPy: functions that prepare the call of one step.

Each takes a case, its inputs and its outputs, and returns what runs. Intermediate results lie in
the output or in scratch arrays that live as long as the step.
"""

from functools import partial

import numpy as np
from nsop_row import Step, registry

F = np.float32
ZERO, ONE = F(0), F(1)
OPS, op = registry()


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
