"""Activations in NumPy, prepared as the element-wise ops are."""

from functools import partial

import numpy as np
from nsop_row import Unsupported, registry
from numpy_ops.elementwise import ONE, ZERO, F

OPS, op = registry()


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
