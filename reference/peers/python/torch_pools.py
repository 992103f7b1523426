"""Pools in PyTorch."""

from functools import partial

import torch
from torch_step import FRESH, OUT, Step, aten, call, fresh, registry

OPS, op = registry()
nn = torch._C._nn


def _window(c):
    return [[c.integer(key)] * 2 for key in ("k", "s", "p")]


@op
def maxpool2d(c, inputs, outputs):
    k, s, p = _window(c)
    if c.forward:
        indices = torch.empty(outputs[1].shape, dtype=torch.int64)
        operator = aten.max_pool2d_with_indices.out
        run = call(operator, inputs[0], k, s, p, [1, 1], False, out=outputs[0], indices=indices)
        chose = f"aten::max_pool2d_with_indices, {OUT}, indices of 64 bits"
        return Step(run, chose, lambda: [outputs[0], indices])
    x, index, dy = inputs
    indices = torch.empty(index.shape, dtype=torch.int64)
    operator = aten.max_pool2d_with_indices_backward.grad_input
    run = call(operator, dy, x, k, s, p, [1, 1], False, indices, grad_input=outputs[0])
    chose = f"aten::max_pool2d_with_indices_backward, {OUT}, indices of 64 bits"
    return Step(run, chose, lambda: outputs, lambda: indices.copy_(index))


@op
def avgpool2d(c, inputs, outputs):
    k, s, p = _window(c)
    if c.forward:
        return partial(nn.avg_pool2d, inputs[0], k, s, p, False, True, None, out=outputs[0])
    x = torch.empty(c.shape("in"))  # for its shape only
    operator = aten.avg_pool2d_backward.grad_input
    run = call(operator, inputs[0], x, k, s, p, False, True, None, grad_input=outputs[0])
    return Step(run, f"aten::avg_pool2d_backward, {OUT}", lambda: outputs)


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
