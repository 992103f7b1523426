"""LSTM, GRU and plain recurrent cells, and their pointwise parts.

Gates lie side by side: i, f, g, o and r, z, n.
"""

from functools import partial

import torch
from nsop_row import registry
from torch import _VF as functions
from torch_ops.step import OUT, Step, fresh

OPS, op = registry()


def _sequence(c, inputs):
    """The outputs of the whole sequence: a cell where that is one step, else the sequence op."""
    lstm, gru = c.op == "lstm", c.op == "gru"
    x, w, u, b = inputs[:4]
    states = inputs[5 if gru else 4 :]
    none = inputs[4] if gru else torch.zeros_like(b)
    if x.shape[0] == 1:
        cell = {"lstm": functions.lstm_cell, "gru": functions.gru_cell}
        cell = cell.get(c.op, functions.rnn_tanh_cell)
        before = (states[0], states[1]) if lstm else states[0]
        found = cell(x[0], before, w.t(), u.t(), b, none)
        return list(found) if lstm else [found]
    many = {"lstm": functions.lstm, "gru": functions.gru}.get(c.op, functions.rnn_tanh)
    before = tuple(state.unsqueeze(0) for state in states[: 2 if lstm else 1])
    found = many(
        x,
        before if lstm else before[0],
        (w.t(), u.t(), b, none),
        True,
        1,
        0.0,
        False,
        False,
        False,
    )
    return [found[0]] + ([found[2][0]] if lstm else [])


def _recurrent(c, inputs, outputs):
    if c.forward:
        shapes = [tensor.shape for tensor in outputs]

        def pick(found):
            return [tensor.reshape(shape) for tensor, shape in zip(found, shapes)]

        return fresh(partial(_sequence, c, inputs), pick=pick)
    given = len(outputs)
    gradients, graph = inputs[given:], []

    def refresh():  # the forward pass
        leaves = [tensor.detach().requires_grad_() for tensor in inputs[:given]]
        with torch.enable_grad():
            found = _sequence(c, leaves)
        dys = [dy.reshape(tensor.shape) for dy, tensor in zip(gradients, found)]
        graph[:] = [found, leaves, dys]

    def backward():
        found, leaves, dys = graph
        return torch.autograd.grad(found, leaves, dys, retain_graph=True)

    refresh()
    return fresh(backward, "autograd, fresh results", refresh=refresh)


for name in ("lstm", "gru", "rnn"):
    OPS[name] = _recurrent


# PyTorch fuses the pointwise parts on no CPU.
COMPOSED = f"composed, {OUT}"


def _gate_gradient(dy, y, out):
    """Of a sigmoid, given its result."""
    torch.mul(torch.mul(dy, y), 1 - y, out=out)


@op
def lstm_pointwise(c, inputs, outputs):
    gates, state = inputs[:2]
    i, f, g, o = gates.chunk(4, 1)

    def forward():
        h, c_next = outputs
        torch.mul(torch.sigmoid(f), state, out=c_next)
        c_next.addcmul_(torch.sigmoid(i), torch.tanh(g))
        torch.mul(torch.sigmoid(o), torch.tanh(c_next), out=h)

    def backward():
        _, _, c_next, dh, dc_next = inputs
        dgates, dc = outputs
        di, df, dg, do = dgates.chunk(4, 1)
        si, sf, tg, so = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
        t = torch.tanh(c_next)
        inner = dc_next + dh * so * (1 - t * t)
        _gate_gradient(dh * t, so, do)
        _gate_gradient(inner * tg, si, di)
        _gate_gradient(inner * state, sf, df)
        torch.mul(inner * si, 1 - tg * tg, out=dg)
        torch.mul(inner, sf, out=dc)

    return Step(forward if c.forward else backward, COMPOSED, lambda: outputs)


@op
def gru_pointwise(c, inputs, outputs):
    gx, gh, h = inputs[:3]
    (xr, xz, xn), (hr, hz, hn) = gx.chunk(3, 1), gh.chunk(3, 1)

    def gates():
        r = torch.add(xr, hr).sigmoid_()
        return r, torch.add(xz, hz).sigmoid_(), torch.addcmul(xn, r, hn).tanh_()

    def forward():  # n + z (h - n)
        _, z, n = gates()
        torch.addcmul(n, z, h - n, out=outputs[0])

    def backward():
        dy = inputs[3]
        dgx, dgh, dh = outputs
        (dxr, dxz, dxn), (dhr, dhz, dhn) = dgx.chunk(3, 1), dgh.chunk(3, 1)
        r, z, n = gates()
        torch.mul(dy * (1 - z), 1 - n * n, out=dxn)
        _gate_gradient(dy * (h - n), z, dxz)
        _gate_gradient(dxn * hn, r, dxr)
        torch.mul(dxn, r, out=dhn)
        dhr.copy_(dxr)
        dhz.copy_(dxz)
        torch.mul(dy, z, out=dh)

    return Step(forward if c.forward else backward, COMPOSED, lambda: outputs)
