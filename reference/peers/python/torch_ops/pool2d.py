"""Pools in PyTorch."""

from functools import partial

import torch
from nsop_row import registry
from torch_ops.step import FRESH, OUT, Step, aten, call, fresh

OPS, op = registry()
nn = torch._C._nn


def _window(c, axes):
    return [[c.integer(key)] * axes for key in ("k", "s", "p")]


def _max_pool(forward, backward, c, inputs, outputs, window, planes):
    """`planes` turns tensors of the op into tensors that the operators take."""
    k, s, p = window
    name = forward.__name__.partition(".")[0]
    one = [1] * len(k)
    if c.forward:
        indices = torch.empty(outputs[1].shape, dtype=torch.int64)
        x, out = planes(inputs[0]), planes(outputs[0])
        run = call(forward, x, k, s, p, one, False, out=out, indices=planes(indices))
        return Step(run, f"aten::{name}, {OUT}, indices of 64 bits", lambda: [outputs[0], indices])
    x, index, dy = inputs
    indices = torch.empty(index.shape, dtype=torch.int64)
    run = call(
        backward,
        *(planes(dy), planes(x), k, s, p, one, False, planes(indices)),
        grad_input=planes(outputs[0]),
    )
    chose = f"aten::{name}_backward, {OUT}, indices of 64 bits"
    return Step(run, chose, lambda: outputs, lambda: indices.copy_(index))


def _average_pool(forward, backward, c, inputs, outputs, window, planes):
    k, s, p = window
    out = planes(outputs[0])
    if c.forward:
        return partial(forward, planes(inputs[0]), k, s, p, False, True, None, out=out)
    x = planes(torch.empty(c.shape("in")))  # for its shape only
    run = call(backward, planes(inputs[0]), x, k, s, p, False, True, None, grad_input=out)
    name = backward.__name__.partition(".")[0]
    return Step(run, f"aten::{name}, {OUT}", lambda: outputs)


def _as_it_is(tensor):
    return tensor


def _one_row(tensor):
    """A line as a plane of one row: PyTorch's own pools of lines are made so."""
    return tensor.unsqueeze(2)


def _row_window(c):
    k, s, p = (c.integer(key) for key in ("k", "s", "p"))
    return [1, k], [1, s], [0, p]


MAX_2D = aten.max_pool2d_with_indices.out, aten.max_pool2d_with_indices_backward.grad_input
MAX_3D = aten.max_pool3d_with_indices.out, aten.max_pool3d_with_indices_backward.grad_input
AVERAGE_2D = nn.avg_pool2d, aten.avg_pool2d_backward.grad_input
AVERAGE_3D = nn.avg_pool3d, aten.avg_pool3d_backward.grad_input


@op
def maxpool1d(c, inputs, outputs):
    return _max_pool(*MAX_2D, c, inputs, outputs, _row_window(c), _one_row)


@op
def maxpool2d(c, inputs, outputs):
    return _max_pool(*MAX_2D, c, inputs, outputs, _window(c, 2), _as_it_is)


@op
def maxpool3d(c, inputs, outputs):
    return _max_pool(*MAX_3D, c, inputs, outputs, _window(c, 3), _as_it_is)


@op
def avgpool1d(c, inputs, outputs):
    return _average_pool(*AVERAGE_2D, c, inputs, outputs, _row_window(c), _one_row)


@op
def avgpool2d(c, inputs, outputs):
    return _average_pool(*AVERAGE_2D, c, inputs, outputs, _window(c, 2), _as_it_is)


@op
def avgpool3d(c, inputs, outputs):
    return _average_pool(*AVERAGE_3D, c, inputs, outputs, _window(c, 3), _as_it_is)


@op
def adaptive_avgpool2d(c, inputs, outputs):
    size = list(c.shape("out"))
    if c.forward:
        return fresh(partial(nn.adaptive_avg_pool2d, inputs[0], size))
    (dy,), (dx,) = inputs, outputs
    if size == [1, 1]:  # of a mean, as autograd does it
        pixels = dx.shape[2] * dx.shape[3]
        run = partial(torch.div, dy.expand(dx.shape), pixels, out=dx)
        return Step(run, f"expand and div, {OUT}", lambda: outputs)
    x = torch.empty(dx.shape)
    operator = aten._adaptive_avg_pool2d_backward.default
    return fresh(call(operator, dy, x), f"aten::_adaptive_avg_pool2d_backward, {FRESH}")


@op
def adaptive_maxpool2d(c, inputs, outputs):
    if c.forward:
        indices = torch.empty(outputs[1].shape, dtype=torch.int64)
        operator = aten.adaptive_max_pool2d.out
        size = list(c.shape("out"))
        run = call(operator, inputs[0], size, out=outputs[0], indices=indices)
        chose = f"aten::adaptive_max_pool2d, {OUT}, indices of 64 bits"
        return Step(run, chose, lambda: [outputs[0], indices])
    x, index, dy = inputs
    indices = torch.empty(index.shape, dtype=torch.int64)
    operator = aten.adaptive_max_pool2d_backward.grad_input
    run = call(operator, dy, x, indices, grad_input=outputs[0])
    chose = f"aten::adaptive_max_pool2d_backward, {OUT}, indices of 64 bits"
    return Step(run, chose, lambda: outputs, lambda: indices.copy_(index))
