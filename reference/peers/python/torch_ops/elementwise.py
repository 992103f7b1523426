"""Element-wise ops in PyTorch."""

from functools import partial

import torch
from nsop_row import registry
from torch_ops.step import aten, call, fresh

OPS, op = registry()


def forward_of(function):
    def prepare(_, inputs, outputs):
        return partial(function, *inputs, out=outputs[0])

    return prepare


for _name, _function in {
    "abs": torch.abs,
    "neg": torch.neg,
    "square": torch.square,
    "sqrt": torch.sqrt,
    "recip": torch.reciprocal,
    "exp": torch.exp,
    "log": torch.log,
    "log2": torch.log2,
    "log10": torch.log10,
    "sin": torch.sin,
    "cos": torch.cos,
    "sign": torch.sign,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
}.items():
    OPS[_name] = forward_of(_function)


@op
def nop(_, inputs, outputs):
    return partial(outputs[0].copy_, inputs[0])


def power(c, inputs, outputs):
    return partial(torch.pow, inputs[0], c.number("e"), out=outputs[0])


OPS["pow"] = power


@op
def clip(c, inputs, outputs):
    return partial(torch.clamp, inputs[0], c.number("lo"), c.number("hi"), out=outputs[0])


@op
def scale(c, inputs, outputs):
    return partial(torch.mul, inputs[0], c.number("alpha"), out=outputs[0])


@op
def axpy(c, inputs, outputs):
    x, y = inputs
    return partial(torch.add, y, x, alpha=c.number("alpha"), out=outputs[0])


@op
def fma(_, inputs, outputs):
    a, b, c = inputs
    c = c.expand(outputs[0].shape)  # a view: else out would shrink to what they share
    return partial(torch.addcmul, c, a, b, out=outputs[0])


@op
def compare(c, inputs, outputs):
    function = getattr(torch, c.text("cmp"))
    return partial(function, *inputs, out=outputs[0])


@op
def where(_, inputs, outputs):
    cond, a, b = inputs
    mask = torch.empty(cond.shape, dtype=torch.bool)
    select = call(aten.where.self_out, mask, a, b, out=outputs[0])

    def run():
        torch.gt(cond, 0, out=mask)
        select()

    return run


@op
def dropout(c, inputs, outputs):
    if not c.forward:
        return partial(torch.mul, *inputs, out=outputs[0])
    rate = c.number("rate")
    torch.manual_seed(1)

    def pick(result):  # the mask is of booleans; what it means is not part of the step
        y, mask = result
        return [y, mask.float() / (1 - rate)]

    return fresh(
        partial(torch.native_dropout, inputs[0], rate, True),
        "aten::native_dropout, fresh result, mask of booleans",
        pick,
    )
