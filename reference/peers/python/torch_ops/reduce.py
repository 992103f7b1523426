"""Reductions in PyTorch."""

from functools import partial

import torch
from nsop_row import registry
from torch_ops.step import OUT, Step

OPS, op = registry()


def _result(c, x, out):
    """(dims to reduce, the output in the shape that a reduction over them has)."""
    axis = c.axis()
    if axis is None:
        return tuple(range(x.dim())), out.reshape(())
    return (axis,), out.reshape(x.shape[:axis] + x.shape[axis + 1 :])


def _reduction(function, *more):
    def prepare(c, inputs, outputs):
        dims, out = _result(c, inputs[0], outputs[0])
        return partial(function, inputs[0], *more, dims, out=out)

    return prepare


OPS["sum"] = _reduction(torch.sum)
OPS["max"] = _reduction(torch.amax)
OPS["min"] = _reduction(torch.amin)
for _name, _order in {"norm_l1": 1, "norm_l2": 2, "norm_linf": float("inf")}.items():
    OPS[_name] = _reduction(torch.linalg.vector_norm, _order)


@op
def variance(c, inputs, outputs):
    dims, out = _result(c, inputs[0], outputs[0])
    return partial(torch.var, inputs[0], dims, unbiased=False, out=out)


@op
def mean(c, inputs, outputs):
    if c.forward:
        dims, out = _result(c, inputs[0], outputs[0])
        return partial(torch.mean, inputs[0], dims, out=out)
    (dy,), (dx,) = inputs, outputs
    axis = c.axis()
    spread = dy if axis is None or dy.dim() == dx.dim() else dy.unsqueeze(axis)
    return partial(torch.div, spread.expand(dx.shape), dx.numel() // dy.numel(), out=dx)


def _index(function):
    def prepare(c, inputs, outputs):
        axis = c.axis()
        shape = () if axis is None else _result(c, inputs[0], outputs[0])[1].shape
        indices = torch.empty(shape, dtype=torch.int64)
        run = partial(function, inputs[0], axis, out=indices)
        return Step(run, f"{OUT}, indices of 64 bits", lambda: [indices])

    return prepare


OPS["argmax"] = _index(torch.argmax)
OPS["argmin"] = _index(torch.argmin)


@op
def dot(_, inputs, outputs):
    a, b = (tensor.reshape(-1) for tensor in inputs)
    return partial(torch.dot, a, b, out=outputs[0].reshape(()))
