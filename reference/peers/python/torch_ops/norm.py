"""Softmax and normalisations in PyTorch. Of these softmax alone takes out=."""

from functools import partial

import nsop_cases
import torch
from nsop_row import registry
from torch_ops.step import FRESH, OUT, Step, aten, call, fresh

OPS, op = registry()
EPS = 1e-5


@op
def batchnorm(c, inputs, _):
    operator = aten.native_batch_norm.default
    if c.forward and c.text("mode") == "eval":
        run = call(operator, *inputs, False, 0.1, EPS)
        return fresh(run, f"aten::native_batch_norm, {FRESH}", lambda result: result[:1])
    if c.forward:
        run = call(operator, *inputs, None, None, True, 0.1, EPS)
        return fresh(run, f"aten::native_batch_norm, {FRESH}")
    every = [True, True, True]
    backward = aten.native_batch_norm_backward.default
    if c.text("mode") == "eval":
        x, gamma, mean, var, dy = inputs
        run = call(backward, dy, x, gamma, mean, var, None, None, False, EPS, every)
        return fresh(run, f"aten::native_batch_norm_backward, {FRESH}")
    x, gamma, mean, inv_std, dy = inputs
    run = call(backward, dy, x, gamma, None, None, mean, inv_std, True, EPS, every)
    return fresh(run, f"aten::native_batch_norm_backward, {FRESH}")


@op
def layernorm(c, inputs, _):
    shape = c.shape("n")
    last = c.integer("last")
    normalised = list(shape[len(shape) - last :])
    if c.forward:
        x, gamma, beta = inputs
        run = call(aten.native_layer_norm.default, x, normalised, gamma, beta, EPS)
        return fresh(run, f"aten::native_layer_norm, {FRESH}")
    x, gamma, mean, inv_std, dy = inputs
    kept = shape[: len(shape) - last] + (1,) * last
    mean, inv_std = mean.reshape(kept), inv_std.reshape(kept)
    beta = torch.zeros(normalised)
    backward = aten.native_layer_norm_backward.default
    run = call(backward, dy, x, normalised, mean, inv_std, gamma, beta, [True, True, True])
    return fresh(run, f"aten::native_layer_norm_backward, {FRESH}")


@op
def groupnorm(c, inputs, _):
    shape = c.shape("in")
    sizes = [shape[0], shape[1], nsop_cases.positions(shape), c.integer("groups")]
    if c.forward:
        x, gamma, beta = inputs
        run = call(aten.native_group_norm.default, x, gamma, beta, *sizes, EPS)
        return fresh(run, f"aten::native_group_norm, {FRESH}")
    x, gamma, mean, inv_std, dy = inputs
    backward = aten.native_group_norm_backward.default
    run = call(backward, dy, x, mean, inv_std, gamma, *sizes, [True, True, True])
    return fresh(run, f"aten::native_group_norm_backward, {FRESH}")


@op
def rmsnorm(c, inputs, outputs):
    """PyTorch has no such operator: its own users compose it."""
    if c.forward:
        x, gamma = inputs
        y, inv_rms = outputs
        column = inv_rms.reshape(x.shape[:-1] + (1,))

        def forward():
            torch.mean(torch.square(x), (-1,), keepdim=True, out=column)
            column.add_(EPS).rsqrt_()
            torch.mul(x, column, out=y)
            y.mul_(gamma)

        return forward
    x, gamma, inv_rms, dy = inputs
    dx, dgamma = outputs
    column = inv_rms.reshape(x.shape[:-1] + (1,))

    def backward():  # dx = r (g - xhat mean(g xhat)), g = dy gamma, xhat = x r
        normal = x * column
        scaled = dy * gamma
        torch.mul(scaled - normal * (scaled * normal).mean(-1, keepdim=True), column, out=dx)
        torch.sum((dy * normal).reshape(-1, x.shape[-1]), (0,), out=dgamma)

    return backward


def _softmax(function, name, backward):
    def prepare(c, inputs, outputs):
        axis = c.axis()
        if c.forward:
            return partial(function, inputs[0], axis, out=outputs[0])
        y, dy = inputs
        out = {next(a.name for a in backward._schema.arguments if a.is_out): outputs[0]}
        run = call(backward, dy, y, axis, torch.float32, **out)
        return Step(run, f"aten::{name}, {OUT}", lambda: outputs)

    return prepare


OPS["softmax"] = _softmax(torch.softmax, "_softmax_backward_data", aten._softmax_backward_data.out)
OPS["log_softmax"] = _softmax(
    torch.log_softmax, "_log_softmax_backward_data", aten._log_softmax_backward_data.out
)
