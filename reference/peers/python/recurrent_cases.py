"""Names and shapes of the inputs and outputs of recurrent cells and of the embedding."""


def _lstm(c):
    rows, h = c.shape("n")
    gates, state = (rows, 4 * h), (rows, h)
    if c.forward:
        return [("gates", gates), ("c", state)], [("h", state), ("c_next", state)]
    names = ("c", "c_next", "dh", "dc_next")
    return [("gates", gates)] + [(n, state) for n in names], [("dgates", gates), ("dc", state)]


def _gru(c):
    rows, h = c.shape("n")
    gates, state = (rows, 3 * h), (rows, h)
    inputs = [("gx", gates), ("gh", gates), ("h", state)]
    if c.forward:
        return inputs, [("h_next", state)]
    return inputs + [("dh_next", state)], [("dgx", gates), ("dgh", gates), ("dh", state)]


_GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def _recurrent(c):
    (steps, batch, n_in), h = c.shape("in"), c.integer("hidden")
    columns, state = _GATES[c.op] * h, (batch, h)
    inputs = [("x", (steps, batch, n_in)), ("w", (n_in, columns)), ("u", (h, columns))]
    inputs += [(name, (columns,)) for name in (("bw", "bu") if c.op == "gru" else ("b",))]
    inputs += [("h0", state)] + [("c0", state)] * (c.op == "lstm")
    y, last = ("y", (steps,) + state), [("c_n", state)] * (c.op == "lstm")
    if c.forward:
        return inputs, [y] + last
    gradients = [("d" + name, shape) for name, shape in [y] + last]
    return inputs + gradients, [("d" + name, shape) for name, shape in inputs]


def _embedding(c):
    rows, vocab, dim = c.shape("n"), c.integer("vocab"), c.integer("dim")
    index, table, y = ("index", rows), (vocab, dim), rows + (dim,)
    if c.forward:
        return [index, ("w", table)], [("y", y)]
    return [index, ("dy", y)], [("dw", table)]


SHAPES = {
    "lstm_pointwise": _lstm,
    "gru_pointwise": _gru,
    **dict.fromkeys(_GATES, _recurrent),
    "embedding": _embedding,
}
