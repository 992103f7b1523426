"""What the ops of PyTorch are made of."""

from functools import partial

import nsop_row
import torch

OUT = "out= preallocated"
FRESH = "fresh result"
aten = torch.ops.aten


class Step(nsop_row.Step):
    """A step whose outputs are tensors."""

    def __init__(self, run, chose, tensors, refresh=None):
        super().__init__(run, lambda: [t.float().numpy() for t in tensors()], chose, refresh)


def call(overload, *arguments, **named):
    """An aten operator with fixed arguments, called as directly as can be."""
    return partial(getattr(overload, "_op", overload), *arguments, **named)


def fresh(function, chose=FRESH, pick=None, refresh=None):
    """A step that keeps the latest result of function(); pick(result) lists the outputs."""
    box = [None]

    def run():
        box[0] = function()

    def tensors():
        result = box[0]
        if pick:
            return pick(result)
        return list(result) if isinstance(result, (tuple, list)) else [result]

    return Step(run, chose, tensors, refresh)
