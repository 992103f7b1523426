"""Activations in PyTorch."""

from functools import partial

import torch
from nsop_row import registry
from torch_ops.step import OUT, Step, aten, call

OPS, op = registry()
nn = torch._C._nn  # where activations take out=


def _backward(c, inputs, outputs, overload, *more, **named):
    """aten backward operators take (dy, saved, ...) and write grad_input."""
    saved, dy = inputs
    name = overload.name().split("::")[-1].split(".")[0]
    run = call(overload, dy, saved, *more, grad_input=outputs[0], **named)
    return Step(run, f"aten::{name}, {OUT}", lambda: outputs)


@op
def relu(c, inputs, outputs):
    if c.forward:
        return partial(torch.clamp_min, inputs[0], 0, out=outputs[0])
    return _backward(c, inputs, outputs, aten.threshold_backward.grad_input, 0)


@op
def relu6(c, inputs, outputs):
    if c.forward:
        return partial(nn.hardtanh, inputs[0], 0, 6, out=outputs[0])
    return _backward(c, inputs, outputs, aten.hardtanh_backward.grad_input, 0, 6)


@op
def leaky_relu(c, inputs, outputs):
    alpha = c.number("alpha")
    if c.forward:
        return partial(nn.leaky_relu, inputs[0], alpha, out=outputs[0])
    return _backward(c, inputs, outputs, aten.leaky_relu_backward.grad_input, alpha, False)


@op
def elu(c, inputs, outputs):
    alpha = c.number("alpha")
    if c.forward:
        return partial(nn.elu, inputs[0], alpha, out=outputs[0])
    x, dy = inputs
    run = call(aten.elu_backward.grad_input, dy, alpha, 1, 1, False, x, grad_input=outputs[0])
    return Step(run, f"aten::elu_backward, {OUT}", lambda: outputs)


@op
def tanh(c, inputs, outputs):
    if c.forward:
        return partial(torch.tanh, inputs[0], out=outputs[0])
    return _backward(c, inputs, outputs, aten.tanh_backward.grad_input)


@op
def sigmoid(c, inputs, outputs):
    if c.forward:
        return partial(torch.sigmoid, inputs[0], out=outputs[0])
    return _backward(c, inputs, outputs, aten.sigmoid_backward.grad_input)


@op
def silu(c, inputs, outputs):
    if c.forward:
        return partial(nn.silu, inputs[0], out=outputs[0])
    return _backward(c, inputs, outputs, aten.silu_backward.grad_input)


@op
def softplus(c, inputs, outputs):
    if c.forward:
        return partial(nn.softplus, inputs[0], out=outputs[0])
    return _backward(c, inputs, outputs, aten.softplus_backward.grad_input, 1, 20)


@op
def gelu(c, inputs, outputs):
    form = {"tanh": "tanh", "erf": "none"}[c.text("form")]
    if c.forward:
        return partial(nn.gelu, inputs[0], approximate=form, out=outputs[0])
    return _backward(c, inputs, outputs, aten.gelu_backward.grad_input, approximate=form)
