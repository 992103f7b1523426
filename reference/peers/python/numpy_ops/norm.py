"""Softmax and normalisations in NumPy, composed of reductions: it has none of them itself.

Each normalisation is brought to the form x [A, B, C] with statistics over some of the axes; the
gradient is dx = r (g - mean(g) - xhat mean(g xhat)) with g = dy gamma, xhat = (x - mean) r.
"""

import numpy as np
from nsop_row import registry
from numpy_ops.elementwise import F

EPS = F(1e-5)
OPS, op = registry()


def _forward(x, y, gamma, beta, mean, inv_std, axes):
    """All shaped so that they broadcast against x; statistics over `axes`."""
    scratch = np.empty_like(x)
    scale = F(1 / np.prod([x.shape[axis] for axis in axes]))

    def run():
        np.mean(x, axis=axes, keepdims=True, out=mean)
        np.subtract(x, mean, out=y)
        np.multiply(y, y, out=scratch)
        np.sum(scratch, axis=axes, keepdims=True, out=inv_std)
        np.multiply(inv_std, scale, out=inv_std)
        np.add(inv_std, EPS, out=inv_std)
        np.sqrt(inv_std, out=inv_std)
        np.reciprocal(inv_std, out=inv_std)
        np.multiply(y, inv_std, out=y)
        np.multiply(y, gamma, out=y)
        np.add(y, beta, out=y)

    return run


def _backward(x, dy, gamma, mean, inv_std, dx, dgamma, dbeta, axes, shared):
    """Statistics over `axes`, gamma shared over the axes `shared`."""
    normal, g, scratch = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    average, slope = np.empty_like(mean), np.empty_like(mean)

    def run():
        np.subtract(x, mean, out=normal)
        np.multiply(normal, inv_std, out=normal)
        np.multiply(dy, normal, out=scratch)
        np.sum(scratch, axis=shared, keepdims=True, out=dgamma)
        np.sum(dy, axis=shared, keepdims=True, out=dbeta)
        np.multiply(dy, gamma, out=g)
        np.mean(g, axis=axes, keepdims=True, out=average)
        np.multiply(g, normal, out=scratch)
        np.mean(scratch, axis=axes, keepdims=True, out=slope)
        np.multiply(normal, slope, out=normal)
        np.subtract(g, average, out=dx)
        np.subtract(dx, normal, out=dx)
        np.multiply(dx, inv_std, out=dx)

    return run


def _norm(c, inputs, outputs, x_shape, stats_shape, affine_shape, axes, shared):
    affine = [array.reshape(affine_shape) for array in inputs[1 : 3 if c.forward else 2]]
    x = inputs[0].reshape(x_shape)
    if c.forward:
        y, mean, inv_std = outputs
        stats = [array.reshape(stats_shape) for array in (mean, inv_std)]
        return _forward(x, y.reshape(x_shape), *affine, *stats, axes)
    _, _, mean, inv_std, dy = inputs
    dx, dgamma, dbeta = outputs
    return _backward(
        x,
        dy.reshape(x_shape),
        *affine,
        mean.reshape(stats_shape),
        inv_std.reshape(stats_shape),
        dx.reshape(x_shape),
        dgamma.reshape(affine_shape),
        dbeta.reshape(affine_shape),
        axes,
        shared,
    )


def _given_backward(inputs, outputs, shape, per):
    x, dy, dx = (array.reshape(shape) for array in (inputs[0], inputs[4], outputs[0]))
    gamma, mean, var = (array.reshape(per) for array in inputs[1:4])
    dgamma, dbeta = (array.reshape(per) for array in outputs[1:])
    inv, factor, products = np.empty(per, F), np.empty(per, F), np.empty(shape, F)

    def run():  # dx = dy gamma inv, dgamma = sum of dy (x - mean) inv, inv = 1 / sqrt(var + eps)
        np.add(var, EPS, out=inv)
        np.sqrt(inv, out=inv)
        np.reciprocal(inv, out=inv)
        np.multiply(gamma, inv, out=factor)
        np.multiply(dy, factor, out=dx)
        np.sum(dy, (0, 2), keepdims=True, out=dbeta)
        np.subtract(x, mean, out=products)
        np.multiply(products, dy, out=products)
        np.sum(products, (0, 2), keepdims=True, out=dgamma)
        np.multiply(dgamma, inv, out=dgamma)

    return run


@op
def batchnorm(c, inputs, outputs):
    n, channels, *spatial = c.shape("in")
    shape, per = (n, channels, int(np.prod(spatial))), (1, channels, 1)
    if c.forward and c.text("mode") == "eval":
        x = inputs[0].reshape(shape)
        gamma, beta, mean, var = (array.reshape(per) for array in inputs[1:])
        y, factor, offset = outputs[0].reshape(shape), np.empty(per, F), np.empty(per, F)

        def run():  # y = x f + (beta - mean f), f = gamma / sqrt(var + eps)
            np.add(var, EPS, out=factor)
            np.sqrt(factor, out=factor)
            np.divide(gamma, factor, out=factor)
            np.multiply(mean, factor, out=offset)
            np.subtract(beta, offset, out=offset)
            np.multiply(x, factor, out=y)
            np.add(y, offset, out=y)

        return run
    if c.text("mode") == "eval":
        return _given_backward(inputs, outputs, shape, per)
    return _norm(c, inputs, outputs, shape, per, per, (0, 2), (0, 2))


@op
def layernorm(c, inputs, outputs):
    shape, last = c.shape("n"), c.integer("last")
    columns = int(np.prod(shape[len(shape) - last :]))
    rows = int(np.prod(shape)) // columns
    return _norm(c, inputs, outputs, (rows, columns), (rows, 1), (1, columns), (1,), (0,))


@op
def groupnorm(c, inputs, outputs):
    n, channels, *spatial = c.shape("in")
    groups = c.integer("groups")
    shape = (n, groups, channels // groups, int(np.prod(spatial)))
    affine = (1, groups, channels // groups, 1)
    return _norm(c, inputs, outputs, shape, (n, groups, 1, 1), affine, (2, 3), (0, 3))


@op
def rmsnorm(c, inputs, outputs):
    shape = c.shape("n")
    x, dy = inputs[0].reshape(-1, shape[-1]), inputs[-1].reshape(-1, shape[-1])
    gamma = inputs[1]
    scratch, g = np.empty_like(x), np.empty_like(x)

    def forward():
        y, r = outputs[0].reshape(x.shape), outputs[1].reshape(-1, 1)
        np.multiply(x, x, out=scratch)
        np.mean(scratch, axis=1, keepdims=True, out=r)
        np.add(r, EPS, out=r)
        np.sqrt(r, out=r)
        np.reciprocal(r, out=r)
        np.multiply(x, r, out=y)
        np.multiply(y, gamma, out=y)

    def backward():  # dx = r (g - xhat mean(g xhat)), xhat = x r
        r, dx = inputs[2].reshape(-1, 1), outputs[0].reshape(x.shape)
        np.multiply(x, r, out=dx)
        np.multiply(dy, dx, out=scratch)
        np.sum(scratch, axis=0, out=outputs[1])
        np.multiply(scratch, gamma, out=scratch)
        np.multiply(dy, gamma, out=g)
        np.multiply(dx, np.mean(scratch, axis=1, keepdims=True), out=dx)
        np.subtract(g, dx, out=dx)
        np.multiply(dx, r, out=dx)

    return forward if c.forward else backward


def _softmax_parts(c, x):
    """(the axis, an array of one value per sum)."""
    axis = c.integer("axis")
    shape = x.shape[:axis] + (1,) + x.shape[axis + 1 :]
    return axis, np.empty(shape, F)


@op
def softmax(c, inputs, outputs):
    (out,), x = outputs, inputs[0]
    axis, one = _softmax_parts(c, x)

    def forward():
        np.max(x, axis=axis, keepdims=True, out=one)
        np.subtract(x, one, out=out)
        np.exp(out, out=out)
        np.sum(out, axis=axis, keepdims=True, out=one)
        np.divide(out, one, out=out)

    def backward():  # y (dy - sum(y dy))
        y, dy = inputs
        np.multiply(y, dy, out=out)
        np.sum(out, axis=axis, keepdims=True, out=one)
        np.subtract(dy, one, out=out)
        np.multiply(out, y, out=out)

    return forward if c.forward else backward


@op
def log_softmax(c, inputs, outputs):
    (out,), x = outputs, inputs[0]
    axis, one = _softmax_parts(c, x)
    scratch = np.empty_like(x)

    def forward():
        np.max(x, axis=axis, keepdims=True, out=one)
        np.subtract(x, one, out=out)
        np.exp(out, out=scratch)
        np.sum(scratch, axis=axis, keepdims=True, out=one)
        np.log(one, out=one)
        np.subtract(out, one, out=out)

    def backward():  # dy - exp(y) sum(dy)
        y, dy = inputs
        np.sum(dy, axis=axis, keepdims=True, out=one)
        np.exp(y, out=out)
        np.multiply(out, one, out=out)
        np.subtract(dy, out, out=out)

    return forward if c.forward else backward
