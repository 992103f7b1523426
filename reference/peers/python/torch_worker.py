#!/usr/bin/env python3
# Debian: python3-torch
"""PyTorch as a peer, on the CPU.

Results go into tensors that exist already where the API has a way (out=, the grad_input overloads
of aten); elsewhere every call returns a fresh tensor, and `chose` says so. Backward passes call the
aten operators, without the bookkeeping of autograd.
"""

import re
import sys

import nsop_peer
import torch
from nsop_row import LAYOUT
from torch_ops import (
    activations,
    conv,
    dqn2048,
    elementwise,
    gemm,
    layout,
    norm,
    pool2d,
    recurrent,
    reduce,
    training,
)
from torch_ops.step import OUT, Step

OPS = {
    **elementwise.OPS,
    **activations.OPS,
    **reduce.OPS,
    **gemm.OPS,
    **layout.OPS,
    **conv.OPS,
    **pool2d.OPS,
    **norm.OPS,
    **recurrent.OPS,
    **dqn2048.OPS,
    **training.OPS,
}


class PyTorch(nsop_peer.Library):
    name = "torch"
    version = torch.__version__
    summary = "PyTorch, one call per step of the formula, into given tensors where it can."

    def __init__(self):
        torch.set_num_interop_threads(1)
        torch.set_grad_enabled(False)
        config = torch.__config__.show()

        def find(pattern):
            match = re.search(pattern, config)
            return match.group(1).strip() if match else "unknown"

        self.isa = find(r"CPU capability usage: (\S+)")
        onednn, blas = find(r"MKL-DNN (v[\d.]+)"), find(r"BLAS_INFO=(\w+)")
        self.details = f"{self.isa}; oneDNN {onednn}; BLAS {blas}; OpenMP"

    def ops(self):
        return OPS

    def prepare(self, case, inputs, outputs, threads):
        torch.set_num_threads(threads)
        tensors = [torch.from_numpy(array) for array in inputs]
        results = [torch.from_numpy(array) for array in outputs]
        made = OPS[case.op](case, tensors, results)
        step = made if isinstance(made, Step) else Step(made, OUT, lambda: results)
        step.chose = f"torch {self.version} ({self.isa}), {step.chose}; {LAYOUT}"
        return step


if __name__ == "__main__":
    sys.exit(nsop_peer.main(PyTorch()))
