"""Case lines and what they stand for: names and shapes of inputs and outputs.

The shapes are stated once for all Python peers, on purpose without our code: a second reading of
the grammar, against which the inputs of every row are checked. What an op computes is known to the
C++ reference only. A key that a canonical line leaves out has the value that its absence stands
for.
"""

import math

import numpy as np
import recurrent_cases
import training_cases


class BadCase(Exception):
    """The case line doesn't parse, or its values don't fit together."""


class BadInputs(Exception):
    """Inputs that don't fit the case."""


class Case:
    """`op key=value ...`"""

    def __init__(self, line):
        words = line.split()
        if not words or "=" in words[0]:
            raise BadCase(f"'{line}': expected 'op key=value ...'")
        self.line, self.op, self._values = " ".join(words), words[0], {}
        for word in words[1:]:
            key, equals, value = word.partition("=")
            if not equals or not key or not value:
                raise BadCase(f"'{word}': expected key=value")
            self._values[key] = value

    def text(self, key, absent=None):
        value = self._values.get(key, absent)
        if value is None:
            raise BadCase(f"{self.op}: key '{key}' is missing")
        return value

    def integer(self, key, absent=None):
        return self._number(key, absent, int)

    def number(self, key, absent=None):
        return self._number(key, absent, float)

    def shape(self, key, absent=None):
        text = self.text(key, absent)
        try:
            shape = tuple(int(part) for part in text.split("x"))
        except ValueError:
            shape = ()
        if not shape or min(shape) < 1:
            raise BadCase(f"{self.op}: {key}={text}: expected positive integers joined by x")
        return shape

    @property
    def forward(self):
        return self.text("pass", "forward") == "forward"

    def wants(self, what):
        """Does a backward pass compute the gradient of `data` or of `weights`?"""
        return self.text("pass") in ("backward", f"backward_{what}")

    def axis(self):
        """None for all axes."""
        text = self.text("axis")
        return None if text == "all" else self.integer("axis")

    def padding(self):
        """(before, after) of every axis of a pad."""
        dims, text = len(self.shape("n")), self.text("axis")
        if text == "all":
            padded = range(dims)
        elif text == "image":
            padded = range(dims - 2, dims)
        else:
            padded = (self.integer("axis"),)
        widths = (self.integer("before"), self.integer("after"))
        return [widths if axis in padded else (0, 0) for axis in range(dims)]

    def shapes(self):
        """([(name, shape)] of the inputs, the same of the outputs)."""
        if self.op not in _SHAPES:
            raise BadCase(f"{self.op}: its shapes are not known here")
        return _SHAPES[self.op](self)

    def _number(self, key, absent, kind):
        text = str(self.text(key, absent))
        try:
            return kind(text)
        except ValueError:
            raise BadCase(f"{self.op}: {key}={text}: expected a number") from None


def read_inputs(paths, shapes):
    """The arrays of .npy files, which must have these shapes."""
    if len(paths) != len(shapes):
        raise BadInputs(f"{len(paths)} inputs given, the case has {len(shapes)}")
    arrays = []
    for path, shape in zip(paths, shapes):
        array = np.load(path, allow_pickle=False)
        if array.dtype != np.float32 or array.shape != tuple(shape):
            found = f"{array.dtype} {array.shape}"
            raise BadInputs(f"{path}: {found}, the case has float32 {tuple(shape)}")
        arrays.append(array)
    return arrays


def reduced(shape, axis):
    """The shape without one axis; all of them leave one value."""
    if axis is None:
        return (1,)
    if axis >= len(shape):
        raise BadCase(f"axis={axis}: the shape has {len(shape)} dimensions")
    return shape[:axis] + shape[axis + 1 :] or (1,)


def windows(extent, k, s, p, d=1):
    """How many positions a kernel has along one dimension."""
    count = (extent + 2 * p - d * (k - 1) - 1) // s + 1
    if count < 1:
        raise BadCase(f"a kernel of {k} is larger than the padded input of {extent + 2 * p}")
    return count


def _unary(c):
    shape = c.shape("n")
    if c.forward:
        return [("x", shape)], [("y", shape)]
    saved = "y" if c.op in ("tanh", "sigmoid") else "x"
    return [(saved, shape), ("dy", shape)], [("dx", shape)]


def _binary(c):
    shape = c.shape("n")
    other = c.text("b", "same")
    b = shape if other == "same" else c.shape("b")
    return [("a", shape), ("b", b)], [("c", shape)]


def _broadcast(names, broadcast):
    def shapes(c):
        shape = c.shape("n")
        own = {name: c.shape(name) for name in broadcast if c.text(name, "same") != "same"}
        return [(name, own.get(name, shape)) for name in names], [("y", shape)]

    return shapes


def _same(*names):
    def shapes(c):
        shape = c.shape("n")
        return [(name, shape) for name in names], [("y", shape)]

    return shapes


def _reduction(c):
    shape = c.shape("n")
    y = reduced(shape, c.axis())
    if c.forward:
        return [("x", shape)], [("y", y)]
    return [("dy", y)], [("dx", shape)]


def _dot(c):
    shape = c.shape("n")
    return [("a", shape), ("b", shape)], [("y", (1,))]


def _softmax(c):
    shape = c.shape("n")
    if c.forward:
        return [("x", shape)], [("y", shape)]
    return [("y", shape), ("dy", shape)], [("dx", shape)]


def _matmul(c):
    m, n, k = c.integer("m"), c.integer("n"), c.integer("k")
    trans = c.text("trans")
    batch = c.integer("batch", "1")
    lead = (batch,) if batch > 1 else ()
    a = (k, m) if trans[0] == "t" else (m, k)
    b = (n, k) if trans[1] == "t" else (k, n)
    inputs = [("a", lead + a), ("b", lead + b)]
    if c.integer("bias", "0"):
        inputs.append(("bias", (n,)))
    return inputs, [("c", lead + (m, n))]


def _matvec(c):
    m, n = c.integer("m"), c.integer("n")
    x, y = (m, n) if c.text("trans") == "t" else (n, m)
    return [("a", (m, n)), ("x", (x,))], [("y", (y,))]


def _with_weights(c, x, w, b, y):
    """Inputs and outputs of an op with weights, by pass."""
    if c.forward:
        inputs = [("x", x), ("w", w)] + ([("b", b)] if c.integer("bias") else [])
        return inputs, [("y", y)]
    inputs = [("x", x)] if c.wants("weights") else []
    inputs += [("w", w)] if c.wants("data") else []
    outputs = [("dx", x)] if c.wants("data") else []
    if c.wants("weights"):
        outputs += [("dw", w)] + ([("db", b)] if c.integer("bias") else [])
    return inputs + [("dy", y)], outputs


def _dense(c):
    batch, n_in = c.shape("in")
    out = c.integer("out")
    w = (out, n_in) if c.text("w") == "oi" else (n_in, out)
    return _with_weights(c, (batch, n_in), w, (out,), (batch, out))


def _conv(c):
    x = c.shape("in")
    out, k, s, p = (c.integer(key) for key in ("out", "k", "s", "p"))
    d, groups = c.integer("d", "1"), c.integer("groups", "1")
    spatial = x[2:]
    w = (out, x[1] // groups) + (k,) * len(spatial)
    y = (x[0], out) + tuple(windows(extent, k, s, p, d) for extent in spatial)
    if c.text("reduce", "none") == "mean":
        y = y[:2]
    return _with_weights(c, x, w, (out,), y)


def _conv_transpose(c):
    x = c.shape("in")
    out, k, s, p = (c.integer(key) for key in ("out", "k", "s", "p"))
    extent = c.integer("d", "1") * (k - 1) + 1 + c.integer("op", "0")
    y = (x[0], out) + tuple((size - 1) * s - 2 * p + extent for size in x[2:])
    w = (x[1], out // c.integer("groups", "1")) + (k,) * (len(x) - 2)
    return _with_weights(c, x, w, (out,), y)


def _transpose(c):
    rows, columns = c.shape("n")
    return [("x", (rows, columns))], [("y", (columns, rows))]


def _permute(c):
    shape = c.shape("n")
    return [("x", shape)], [("y", tuple(shape[int(digit)] for digit in c.text("perm")))]


def _concat(c):
    a, b, axis = c.shape("a"), c.shape("b"), c.integer("axis")
    y = a[:axis] + (a[axis] + b[axis],) + a[axis + 1 :]
    return [("a", a), ("b", b)], [("y", y)]


def _pad(c):
    x = c.shape("n")
    y = tuple(extent + sum(widths) for extent, widths in zip(x, c.padding()))
    return [("x", x)], [("y", y)]


def _max_pool(c):
    x, y = _pooled(c)
    if c.forward:
        return [("x", x)], [("y", y), ("index", y)]
    return [("x", x), ("index", y), ("dy", y)], [("dx", x)]


def _avg_pool(c):
    x, y = _pooled(c)
    return ([("x", x)], [("y", y)]) if c.forward else ([("dy", y)], [("dx", x)])


def _pooled(c):
    x = c.shape("in")
    k, s, p = (c.integer(key) for key in ("k", "s", "p"))
    return x, x[:2] + tuple(windows(extent, k, s, p) for extent in x[2:])


def _adaptive(c):
    x = c.shape("in")
    y = x[:2] + c.shape("out")
    return ([("x", x)], [("y", y)]) if c.forward else ([("dy", y)], [("dx", x)])


def _adaptive_max(c):
    x = c.shape("in")
    y = x[:2] + c.shape("out")
    if c.forward:
        return [("x", x)], [("y", y), ("index", y)]
    return [("x", x), ("index", y), ("dy", y)], [("dx", x)]


def _norm(c, x, affine, stats):
    """With saved statistics: `stats` is [(name, shape)]; rmsnorm has no beta."""
    beta = [] if c.op == "rmsnorm" else [("beta", affine)]
    if c.forward:
        return [("x", x), ("gamma", affine)] + beta, [("y", x)] + stats
    outputs = [("dx", x), ("dgamma", affine)] + [("dbeta", affine)] * len(beta)
    return [("x", x), ("gamma", affine)] + stats + [("dy", x)], outputs


def _batch_norm(c):
    x = c.shape("in")
    per = (x[1],)
    if c.forward and c.text("mode") == "eval":
        names = ("gamma", "beta", "mean", "var")
        return [("x", x)] + [(name, per) for name in names], [("y", x)]
    second = "var" if c.text("mode") == "eval" else "inv_std"
    return _norm(c, x, per, [("mean", per), (second, per)])


def _layer_norm(c):
    x, last = c.shape("n"), c.integer("last")
    per = x[: len(x) - last] or (1,)
    return _norm(c, x, x[len(x) - last :], [("mean", per), ("inv_std", per)])


def _group_norm(c):
    x = c.shape("in")
    per = (x[0], c.integer("groups"))
    return _norm(c, x, (x[1],), [("mean", per), ("inv_std", per)])


def _rms_norm(c):
    x = c.shape("n")
    return _norm(c, x, x[-1:], [("inv_rms", x[:-1] or (1,))])


def _dropout(c):
    shape = c.shape("n")
    if c.forward:
        return [("x", shape)], [("y", shape), ("mask", shape)]
    return [("mask", shape), ("dy", shape)], [("dx", shape)]


UNARY = (
    "abs neg square sqrt recip exp log log2 log10 sin cos sign pow clip relu relu6 silu softplus "
    "leaky_relu elu gelu tanh sigmoid"
).split()
BINARY = "add sub mul div maximum minimum".split()
REDUCTIONS = "sum mean max min argmax argmin norm_l1 norm_l2 norm_linf variance".split()

_SHAPES = {
    "nop": lambda c: ([("x", (1,))], [("y", (1,))]),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(BINARY, _binary),
    "fma": _broadcast("abc", broadcast="abc"),
    "axpy": _broadcast("xy", broadcast="x"),
    "scale": _same("x"),
    "compare": _same("a", "b"),
    "where": _same("cond", "a", "b"),
    **dict.fromkeys(REDUCTIONS, _reduction),
    "dot": _dot,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "matmul": _matmul,
    "matvec": _matvec,
    "dense": _dense,
    "conv1d": _conv,
    "conv2d": _conv,
    "conv3d": _conv,
    "conv1d_transpose": _conv_transpose,
    "conv2d_transpose": _conv_transpose,
    "conv3d_transpose": _conv_transpose,
    "transpose": _transpose,
    "permute": _permute,
    "concat": _concat,
    "pad": _pad,
    **{f"maxpool{axes}": _max_pool for axes in ("1d", "2d", "3d")},
    **{f"avgpool{axes}": _avg_pool for axes in ("1d", "2d", "3d")},
    "adaptive_avgpool2d": _adaptive,
    "adaptive_maxpool2d": _adaptive_max,
    "batchnorm": _batch_norm,
    "layernorm": _layer_norm,
    "groupnorm": _group_norm,
    "rmsnorm": _rms_norm,
    "dropout": _dropout,
    **recurrent_cases.SHAPES,
    **training_cases.SHAPES,
}


def positions(shape):
    """Elements per image and channel."""
    return math.prod(shape[2:])
