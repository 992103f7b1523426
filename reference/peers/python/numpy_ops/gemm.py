"""Matrix products and what is made of them, in NumPy: these run in its BLAS."""

from functools import partial

import numpy as np
from nsop_row import registry
from numpy_ops import activations, elementwise

OPS, op = registry()


def _act(c, out):
    """In-place activation of a product, or None."""
    name = c.text("act", "none")
    if name == "gelu":
        scratch = np.empty_like(out)
        return lambda y: activations.gelu_forward(y, y, scratch)
    return {
        "none": None,
        "relu": lambda y: np.maximum(y, elementwise.ZERO, out=y),
        "tanh": lambda y: np.tanh(y, out=y),
        "sigmoid": lambda y: activations.logistic(y, y),
    }[name]


@op
def matmul(c, inputs, outputs):
    (out,) = outputs
    a, b = (
        array.swapaxes(-1, -2) if stored == "t" else array
        for array, stored in zip(inputs, c.text("trans"))
    )
    product = partial(np.matmul, a, b, out=out)
    act = _act(c, out)
    if len(inputs) < 3 and act is None:
        return product
    bias = inputs[2] if len(inputs) > 2 else None

    def run():
        product()
        if bias is not None:
            np.add(out, bias, out=out)
        if act is not None:
            act(out)

    return run


@op
def matvec(c, inputs, outputs):
    a, x = inputs
    return partial(np.dot, a.T if c.text("trans") == "t" else a, x, out=outputs[0])


@op
def dense(c, inputs, outputs):
    by_input = c.text("w") == "io"  # weights lie as [in, out]
    if c.forward:
        x, w = inputs[:2]
        w = w if by_input else w.T
        product = partial(np.matmul, x, w, out=outputs[0])
        if len(inputs) < 3:
            return product

        def forward():
            product()
            np.add(outputs[0], inputs[2], out=outputs[0])

        return forward

    dy, left = inputs[-1], list(outputs)
    calls = []
    if c.wants("data"):
        w = inputs[1] if c.wants("weights") else inputs[0]
        calls.append(partial(np.matmul, dy, w.T if by_input else w, out=left.pop(0)))
    if c.wants("weights"):
        x, dw = inputs[0], left.pop(0)
        a, b = (x, dy) if by_input else (dy, x)
        calls.append(partial(np.matmul, a.T, b, out=dw))
    if left:
        calls.append(partial(np.sum, dy, axis=0, out=left.pop(0)))

    def backward():
        for call in calls:
            call()

    return backward
