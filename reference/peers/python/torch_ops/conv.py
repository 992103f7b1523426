"""Convolutions in PyTorch; on the CPU it gives most of them to oneDNN."""

import math
from functools import partial

import nsop_cases
import torch
from torch_ops.step import FRESH, aten, call, fresh

FORWARD = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}


def _geometry(c, dims):
    keys = (c.integer("s"), c.integer("p"), c.integer("d", "1"))
    return [[value] * dims for value in keys], c.integer("groups", "1")


def convolution(c, inputs, _):
    shape = c.shape("in")
    dims = len(shape) - 2
    (s, p, d), groups = _geometry(c, dims)
    mean = c.text("reduce", "none") == "mean"
    if c.forward:
        bias = inputs[2] if len(inputs) > 2 else None
        convolve = partial(FORWARD[dims], inputs[0], inputs[1], bias, s, p, d, groups)
        if not mean:
            return fresh(convolve)
        pixels = tuple(range(2, 2 + dims))
        return fresh(lambda: convolve().mean(pixels), "fresh results")
    return _backward(c, inputs, (s, p, d), False, groups, mean)


def convolution_transpose(c, inputs, _):
    rank = len(c.shape("in")) - 2
    (s, p, d), groups = _geometry(c, rank)
    extra = [c.integer("op", "0")] * rank
    if c.forward:
        bias = inputs[2] if len(inputs) > 2 else None
        x, w = inputs[:2]
        function = getattr(torch, f"conv_transpose{rank}d")
        return fresh(partial(function, x, w, bias, s, p, extra, groups, d))
    return _backward(c, inputs, (s, p, d), True, groups, False, extra)


def _backward(c, inputs, geometry, transposed, groups, mean, extra=None):
    (s, p, d), dy = geometry, inputs[-1]
    x_shape, out = c.shape("in"), c.integer("out")
    bias = bool(c.integer("bias")) and c.wants("weights")
    # What a pass doesn't take is needed for its shape only.
    x = inputs[0] if c.wants("weights") else torch.empty(x_shape)
    if c.wants("data"):
        w = inputs[1] if c.wants("weights") else inputs[0]
    else:
        w = torch.empty(_weights_shape(c, x_shape, out, groups, transposed))
    mask = [c.wants("data"), c.wants("weights"), bias and not mean]
    arguments = [s, p, d, transposed, extra or [0] * len(s), groups, mask]
    backward = aten.convolution_backward.default
    if mean:
        shape = dy.shape + _positions(c, x_shape, geometry)
        run = partial(_backward_of_mean, backward, dy, shape, x, w, [out], arguments, bias)
    else:
        run = call(backward, dy, x, w, [out], *arguments)
    return fresh(run, f"aten::convolution_backward, {FRESH}", _present)


def _present(result):
    return [tensor for tensor in result if tensor is not None]


def _positions(c, x_shape, geometry):
    extents = zip(x_shape[2:], *geometry)
    return tuple(nsop_cases.windows(n, c.integer("k"), s, p, d) for n, s, p, d in extents)


def _backward_of_mean(backward, dy, shape, x, w, sizes, arguments, bias):
    """dy is the gradient of an average over pixels; its sum, undivided, is the bias's gradient."""
    each = dy / math.prod(shape[2:])
    each = each.reshape(dy.shape + (1,) * (len(shape) - 2)).expand(shape)
    dx, dw, _ = backward(each, x, w, sizes, *arguments)
    return dx, dw, dy.sum(0) if bias else None


def _weights_shape(c, x_shape, out, groups, transposed):
    k = (c.integer("k"),) * (len(x_shape) - 2)
    return (x_shape[1], out // groups) + k if transposed else (out, x_shape[1] // groups) + k


OPS = {
    "conv1d": convolution,
    "conv2d": convolution,
    "conv3d": convolution,
    "conv1d_transpose": convolution_transpose,
    "conv2d_transpose": convolution_transpose,
    "conv3d_transpose": convolution_transpose,
}
