"""The pointwise parts of LSTM and GRU cells, composed: PyTorch fuses them on no CPU.

Gates lie side by side: i, f, g, o and r, z, n.
"""

import torch
from torch_step import OUT, Step, registry

OPS, op = registry()
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
