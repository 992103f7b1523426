"""Moving data in PyTorch, and the embedding."""

from functools import partial

import torch
from nsop_row import registry
from torch_ops.step import OUT, Step, aten, call, fresh

OPS, op = registry()


@op
def transpose(_, inputs, outputs):
    return partial(outputs[0].copy_, inputs[0].t())


@op
def permute(c, inputs, outputs):
    order = [int(digit) for digit in c.text("perm")]
    return partial(outputs[0].copy_, inputs[0].permute(order))


@op
def concat(c, inputs, outputs):
    return partial(torch.cat, tuple(inputs), c.integer("axis"), out=outputs[0])


@op
def pad(c, inputs, _):
    widths = [width for pair in reversed(c.padding()) for width in pair]
    value = c.number("value", "0")
    return fresh(partial(torch.constant_pad_nd, inputs[0], widths, value))


@op
def embedding(c, inputs, outputs):
    index = inputs[0].to(torch.int64)

    def refresh():
        index.copy_(inputs[0])

    if c.forward:
        flat = index.reshape(-1)
        out = outputs[0].view(flat.numel(), -1)
        run = partial(torch.index_select, inputs[1], 0, flat, out=out)
        return Step(run, f"index_select, {OUT}, indices of 64 bits", lambda: outputs, refresh)
    run = call(
        aten.embedding_dense_backward.default, inputs[1], index, c.integer("vocab"), -1, False
    )
    return fresh(run, "fresh result, indices of 64 bits", refresh=refresh)
