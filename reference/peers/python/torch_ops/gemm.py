"""Matrix products in PyTorch."""

from functools import partial

import torch
from nsop_row import registry

OPS, op = registry()


@op
def matmul(c, inputs, outputs):
    (out,) = outputs
    a, b = (
        tensor.transpose(-1, -2) if stored == "t" else tensor
        for tensor, stored in zip(inputs, c.text("trans"))
    )
    if len(inputs) < 3:
        product = partial(torch.bmm if a.dim() == 3 else torch.mm, a, b, out=out)
    elif a.dim() == 3:
        product = partial(torch.baddbmm, inputs[2].expand(out.shape), a, b, out=out)
    else:
        product = partial(torch.addmm, inputs[2], a, b, out=out)
    act = c.text("act", "none")
    if act == "none":
        return product
    then = {
        "relu": out.relu_,
        "tanh": out.tanh_,
        "sigmoid": out.sigmoid_,
        "gelu": partial(torch.ops.aten.gelu_, out, approximate="tanh"),
    }[act]

    def run():
        product()
        then()

    return run


@op
def matvec(c, inputs, outputs):
    a, x = inputs
    return partial(torch.mv, a.t() if c.text("trans") == "t" else a, x, out=outputs[0])


@op
def dense(c, inputs, outputs):
    by_input = c.text("w") == "io"  # weights lie as [in, out]
    if c.forward:
        x, w = inputs[:2]
        w = w if by_input else w.t()
        if len(inputs) < 3:
            return partial(torch.mm, x, w, out=outputs[0])
        return partial(torch.addmm, inputs[2], x, w, out=outputs[0])

    dy, left, calls = inputs[-1], list(outputs), []
    if c.wants("data"):
        w = inputs[1] if c.wants("weights") else inputs[0]
        calls.append(partial(torch.mm, dy, w.t() if by_input else w, out=left.pop(0)))
    if c.wants("weights"):
        a, b = (inputs[0], dy) if by_input else (dy, inputs[0])
        calls.append(partial(torch.mm, a.t(), b, out=left.pop(0)))
    if left:
        calls.append(partial(torch.sum, dy, (0,), out=left.pop(0)))

    def backward():
        for call in calls:
            call()

    return backward
