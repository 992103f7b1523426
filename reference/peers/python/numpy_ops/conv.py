"""Convolutions in NumPy, which has none: what its users write instead.

They copy the windows into columns (im2col) and multiply, the gradient of the input being added back
position by position.
"""

import numpy as np
from nsop_cases import windows as count_windows
from nsop_row import Step
from numpy_ops.elementwise import F
from numpy_ops.windows import Windows


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


OPS = {"conv1d": convolution, "conv2d": convolution, "conv3d": convolution}
