"""Pools and convolutions in NumPy, which has neither: what its users write instead.

Pools go over the positions of the window; convolutions copy the windows into columns (im2col) and
multiply, the gradient of the input being added back position by position.
"""

from itertools import product

import numpy as np
from nsop_cases import windows as count_windows
from nsop_row import Step
from numpy_ops.elementwise import F


class Windows:
    """The positions of a kernel over the last dimensions of a padded copy of x [N, C, ...]."""

    def __init__(self, c, x_shape, y_spatial, fill=0):
        self.k, self.s, self.p = (c.integer(key) for key in ("k", "s", "p"))
        self.d = c.integer("d", "1")
        self.spatial, self.y_spatial = x_shape[2:], tuple(y_spatial)
        padded = tuple(extent + 2 * self.p for extent in self.spatial)
        self.padded = np.full(x_shape[:2] + padded, fill, F)
        inside = tuple(slice(self.p, self.p + extent) for extent in self.spatial)
        self.inner = self.padded[(slice(None), slice(None)) + inside]

    def offsets(self):
        return product(range(self.k), repeat=len(self.spatial))

    def at(self, offset):
        """The values under one position of the kernel, [N, C, ...y]."""
        cuts = tuple(
            slice(i * self.d, i * self.d + (count - 1) * self.s + 1, self.s)
            for i, count in zip(offset, self.y_spatial)
        )
        return self.padded[(slice(None), slice(None)) + cuts]


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


class _Columns:
    """Windows as the columns of a matrix, per image and group: [N, G, C/G * k^dims, pixels]."""

    def __init__(self, c, x_shape, y_spatial):
        self.windows = Windows(c, x_shape, y_spatial)
        n, channels = x_shape[:2]
        kernel = (self.windows.k,) * len(y_spatial)
        self.by_offset = np.empty((n, channels) + kernel + tuple(y_spatial), F)
        self.matrix = self.by_offset.reshape(n, c.integer("groups", "1"), -1, np.prod(y_spatial))

    def gather(self, x):
        np.copyto(self.windows.inner, x)
        for offset in self.windows.offsets():
            np.copyto(self.by_offset[(slice(None), slice(None)) + offset], self.windows.at(offset))

    def scatter(self, dx):
        self.windows.padded.fill(0)
        for offset in self.windows.offsets():
            view = self.windows.at(offset)
            np.add(view, self.by_offset[(slice(None), slice(None)) + offset], out=view)
        np.copyto(dx, self.windows.inner)


def convolution(c, inputs, outputs):
    x_shape, out, groups = c.shape("in"), c.integer("out"), c.integer("groups", "1")
    w_shape = (out, x_shape[1] // groups) + (c.integer("k"),) * (len(x_shape) - 2)
    spatial = _y_spatial(c)
    columns = _Columns(c, x_shape, spatial)
    full = np.empty((x_shape[0], groups, out // groups, int(np.prod(spatial))), F)
    mean = c.text("reduce", "none") == "mean"
    steps = (_forward if c.forward else _backward)(
        c, inputs, outputs, columns, full, w_shape, groups, mean
    )

    def run():
        for step in steps:
            step()

    return Step(run, lambda: outputs, "im2col and matmul, out= preallocated")


def _y_spatial(c):
    k, s, p, d = (c.integer(key, absent) for key, absent in zip("kspd", (None, None, None, "1")))
    return tuple(count_windows(extent, k, s, p, d) for extent in c.shape("in")[2:])


def _forward(c, inputs, outputs, columns, full, w_shape, groups, mean):
    x, weights = inputs[0], inputs[1].reshape(groups, w_shape[0] // groups, -1)
    (y,) = outputs
    result = full if mean else y.reshape(full.shape)
    steps = [
        lambda: columns.gather(x),
        lambda: np.matmul(weights, columns.matrix, out=result),
    ]
    if len(inputs) > 2:
        bias = inputs[2].reshape(groups, -1, 1)
        steps.append(lambda: np.add(result, bias, out=result))
    if mean:
        steps.append(lambda: np.mean(full, axis=3, out=y.reshape(full.shape[:3])))
    return steps


def _backward(c, inputs, outputs, columns, full, w_shape, groups, mean):
    dy, left, steps = inputs[-1], list(outputs), []
    gradient = full if mean else dy.reshape(full.shape)
    if mean:
        each = dy.reshape(full.shape[:3] + (1,))
        steps.append(lambda: np.multiply(each, F(1 / full.shape[3]), out=full))
    if c.wants("data"):
        w = inputs[1] if c.wants("weights") else inputs[0]
        transposed = w.reshape(groups, w_shape[0] // groups, -1).swapaxes(1, 2)
        dx = left.pop(0)
        steps.append(lambda: np.matmul(transposed, gradient, out=columns.matrix))
        steps.append(lambda: columns.scatter(dx))
    if c.wants("weights"):
        dw = left.pop(0).reshape(groups, w_shape[0] // groups, -1)
        per_image = np.empty((full.shape[0],) + dw.shape, F)
        if c.wants("data"):  # the padding holds what was added there
            steps.append(lambda: columns.windows.padded.fill(0))
        steps.append(lambda: columns.gather(inputs[0]))
        turned = columns.matrix.swapaxes(2, 3)
        steps.append(lambda: np.matmul(gradient, turned, out=per_image))
        steps.append(lambda: np.sum(per_image, axis=0, out=dw))
    if left:
        db = left.pop(0)
        plain = dy.reshape(dy.shape[0], dy.shape[1], -1)
        steps.append(lambda: np.sum(plain, axis=(0, 2), out=db))
    return steps


POOLS = {
    **{f"maxpool{axes}": max_pool for axes in ("1d", "2d", "3d")},
    **{f"avgpool{axes}": average_pool for axes in ("1d", "2d", "3d")},
    "adaptive_avgpool2d": adaptive_avgpool2d,
}
CONVOLUTIONS = {"conv1d": convolution, "conv2d": convolution, "conv3d": convolution}
