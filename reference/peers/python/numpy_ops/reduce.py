"""Reductions, softmax and moving data in NumPy."""

from functools import partial

import numpy as np
from nsop_row import Step
from numpy_ops.elementwise import F

OPS = {}


def op(function):
    OPS[function.__name__] = function
    return function


def _result(c, x, out):
    """The output in the shape that a reduction over the case's axis has."""
    axis = c.axis()
    return out.reshape(()) if axis is None else out.reshape(x.shape[:axis] + x.shape[axis + 1 :])


def _reduction(function):
    def prepare(c, inputs, outputs):
        (x,) = inputs
        return partial(function, x, axis=c.axis(), out=_result(c, x, outputs[0]))

    return prepare


for _name, _function in {"sum": np.sum, "max": np.max, "min": np.min, "variance": np.var}.items():
    OPS[_name] = _reduction(_function)


@op
def mean(c, inputs, outputs):
    if c.forward:
        return _reduction(np.mean)(c, inputs, outputs)
    (dy,), (dx,), axis = inputs, outputs, c.axis()
    spread = dy if axis is None or dy.ndim == dx.ndim else np.expand_dims(dy, axis)
    return partial(np.multiply, spread, F(dy.size / dx.size), out=dx)


def _index(function):
    def prepare(c, inputs, outputs):
        (x,) = inputs
        indices = np.empty(_result(c, x, outputs[0]).shape, np.intp)
        run = partial(function, x, axis=c.axis(), out=indices)
        return Step(run, lambda: [indices], "out= preallocated, indices of 64 bits")

    return prepare


OPS["argmax"] = _index(np.argmax)
OPS["argmin"] = _index(np.argmin)


@op
def norm_l1(c, inputs, outputs):
    return _of_magnitudes(np.absolute, np.sum, None, c, inputs, outputs)


@op
def norm_linf(c, inputs, outputs):
    return _of_magnitudes(np.absolute, np.max, None, c, inputs, outputs)


@op
def norm_l2(c, inputs, outputs):
    if c.axis() is not None:
        return _of_magnitudes(np.square, np.sum, np.sqrt, c, inputs, outputs)
    flat, out = inputs[0].ravel(), outputs[0].reshape(())

    def run():
        np.dot(flat, flat, out=out)
        np.sqrt(out, out=out)

    return run


def _of_magnitudes(magnitude, reduce, finish, c, inputs, outputs):
    (x,), axis = inputs, c.axis()
    out, scratch = _result(c, x, outputs[0]), np.empty_like(x)

    def run():
        magnitude(x, out=scratch)
        reduce(scratch, axis=axis, out=out)
        if finish:
            finish(out, out=out)

    return run


def _softmax_parts(c, x):
    """(the axis, an array of one value per sum)."""
    axis = c.integer("axis")
    shape = x.shape[:axis] + (1,) + x.shape[axis + 1 :]
    return axis, np.empty(shape, F)


@op
def softmax(c, inputs, outputs):
    (out,), x = outputs, inputs[0]
    axis, one = _softmax_parts(c, x)

    def forward():
        np.max(x, axis=axis, keepdims=True, out=one)
        np.subtract(x, one, out=out)
        np.exp(out, out=out)
        np.sum(out, axis=axis, keepdims=True, out=one)
        np.divide(out, one, out=out)

    def backward():  # y (dy - sum(y dy))
        y, dy = inputs
        np.multiply(y, dy, out=out)
        np.sum(out, axis=axis, keepdims=True, out=one)
        np.subtract(dy, one, out=out)
        np.multiply(out, y, out=out)

    return forward if c.forward else backward


@op
def log_softmax(c, inputs, outputs):
    (out,), x = outputs, inputs[0]
    axis, one = _softmax_parts(c, x)
    scratch = np.empty_like(x)

    def forward():
        np.max(x, axis=axis, keepdims=True, out=one)
        np.subtract(x, one, out=out)
        np.exp(out, out=scratch)
        np.sum(scratch, axis=axis, keepdims=True, out=one)
        np.log(one, out=one)
        np.subtract(out, one, out=out)

    def backward():  # dy - exp(y) sum(dy)
        y, dy = inputs
        np.sum(dy, axis=axis, keepdims=True, out=one)
        np.exp(y, out=out)
        np.multiply(out, one, out=out)
        np.subtract(dy, out, out=out)

    return forward if c.forward else backward


@op
def transpose(_, inputs, outputs):
    return partial(np.copyto, outputs[0], inputs[0].T)


@op
def permute(c, inputs, outputs):
    order = [int(digit) for digit in c.text("perm")]
    return partial(np.copyto, outputs[0], inputs[0].transpose(order))


@op
def concat(c, inputs, outputs):
    return partial(np.concatenate, tuple(inputs), axis=c.integer("axis"), out=outputs[0])


@op
def pad(c, inputs, outputs):
    (x,), (y,), value = inputs, outputs, F(c.text("value", "0"))
    inner = y[tuple(slice(at, at + n) for n, (at, _) in zip(x.shape, c.padding()))]

    def run():
        y.fill(value)
        np.copyto(inner, x)

    return Step(run, lambda: outputs, "fill and copyto, out= preallocated")
