"""Pools in NumPy, which has none: its users go over the positions of the window."""

from itertools import product

import numpy as np
from nsop_row import Step
from numpy_ops.elementwise import F
from numpy_ops.windows import Windows


def max_pool(c, inputs, outputs):
    x = inputs[0]
    if not c.forward:
        return _max_backward(inputs, outputs)
    y, index = outputs
    windows = Windows(c, x.shape, y.shape[2:], -np.inf)
    views = [windows.at(offset) for offset in windows.offsets()]
    # Of every window: the flat place of each of its positions in a channel of x.
    starts = [np.arange(count) * windows.s - windows.p for count in y.shape[2:]]
    steps = [int(np.prod(x.shape[axis + 1 :])) for axis in range(2, x.ndim)]
    places = [
        sum(np.ix_(*((start + i) * step for start, i, step in zip(starts, offset, steps)))).astype(
            F
        )
        for offset in windows.offsets()
    ]
    better = np.empty(y.shape, bool)

    def run():
        np.copyto(windows.inner, x)
        y.fill(-np.inf)
        index.fill(0)
        for view, place in zip(views, places):
            np.greater(view, y, out=better)
            np.copyto(y, view, where=better)
            np.copyto(index, place, where=better)

    return run


def _max_backward(inputs, outputs):
    (_, index, dy), (dx,) = inputs, outputs
    planes = dx.shape[0] * dx.shape[1]
    flat, values = dx.reshape(planes, -1), dy.reshape(planes, -1)
    rows = np.arange(planes)[:, None]
    places = np.empty(values.shape, np.intp)

    def refresh():
        np.copyto(places, index.reshape(places.shape), casting="unsafe")

    def run():
        dx.fill(0)
        np.add.at(flat, (rows, places), values)

    return Step(run, lambda: outputs, "add.at, out= preallocated, indices of 64 bits", refresh)


def average_pool(c, inputs, outputs):
    (source,), (out,) = inputs, outputs
    share = F(1 / c.integer("k") ** (out.ndim - 2))
    if c.forward:
        windows = Windows(c, source.shape, out.shape[2:])
        views = [windows.at(offset) for offset in windows.offsets()]

        def forward():
            np.copyto(windows.inner, source)
            out.fill(0)
            for view in views:
                np.add(out, view, out=out)
            np.multiply(out, share, out=out)

        return forward
    windows = Windows(c, out.shape, source.shape[2:])
    views = [windows.at(offset) for offset in windows.offsets()]
    each = np.empty_like(source)

    def backward():
        windows.padded.fill(0)
        np.multiply(source, share, out=each)
        for view in views:
            np.add(view, each, out=view)
        np.copyto(out, windows.inner)

    return backward


def adaptive_avgpool2d(c, inputs, outputs):
    (source,), (out,) = inputs, outputs
    x, y = (source, out) if c.forward else (out, source)
    cuts = []
    for extent, count in zip(x.shape[2:], y.shape[2:]):
        ends = [(i * extent // count, -(-(i + 1) * extent // count)) for i in range(count)]
        cuts.append(list(enumerate(slice(*pair) for pair in ends)))
    places = [
        (x[:, :, rows, columns], y[:, :, i, j])
        for (i, rows), (j, columns) in product(cuts[0], cuts[1])
    ]

    def forward():
        for window, value in places:
            np.mean(window, axis=(2, 3), out=value)

    def backward():
        x.fill(0)
        for window, value in places:
            window += (value / F(window.shape[2] * window.shape[3]))[:, :, None, None]

    return forward if c.forward else backward


OPS = {
    **{f"maxpool{axes}": max_pool for axes in ("1d", "2d", "3d")},
    **{f"avgpool{axes}": average_pool for axes in ("1d", "2d", "3d")},
    "adaptive_avgpool2d": adaptive_avgpool2d,
}
