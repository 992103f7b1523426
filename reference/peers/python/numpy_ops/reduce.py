"""Reductions in NumPy."""

from functools import partial

import numpy as np
from nsop_row import Step, registry
from numpy_ops.elementwise import F

OPS, op = registry()


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
def dot(_, inputs, outputs):
    return partial(np.dot, inputs[0].ravel(), inputs[1].ravel(), out=outputs[0].reshape(()))


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
