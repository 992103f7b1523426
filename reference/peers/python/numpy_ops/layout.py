"""Moving data in NumPy."""

from functools import partial

import numpy as np
from nsop_row import Step, registry
from numpy_ops.elementwise import F

OPS, op = registry()


@op
def transpose(_, inputs, outputs):
    return partial(np.copyto, outputs[0], inputs[0].T)


@op
def permute(c, inputs, outputs):
    order = [int(digit) for digit in c.text("perm")]
    return partial(np.copyto, outputs[0], inputs[0].transpose(order))


@op
def concat(c, inputs, outputs):
    return partial(np.concatenate, tuple(inputs), axis=c.integer("axis"), out=outputs[0])


@op
def pad(c, inputs, outputs):
    (x,), (y,), value = inputs, outputs, F(c.text("value", "0"))
    inner = y[tuple(slice(at, at + n) for n, (at, _) in zip(x.shape, c.padding()))]

    def run():
        y.fill(value)
        np.copyto(inner, x)

    return Step(run, lambda: outputs, "fill and copyto, out= preallocated")
