#!/usr/bin/env python3
# Debian: python3-numpy
"""NumPy as a peer."""

import os
import sys

import numpy as np
import nsop_peer
from nsop_row import LAYOUT, Step, Unsupported
from numpy_ops import activations, conv, elementwise, gemm, layout, norm, pool2d, reduce

OUT = "out= preallocated"
IN_BLAS = {*gemm.OPS, *conv.OPS, "dot"}
OPS = {
    **elementwise.OPS,
    **activations.OPS,
    **reduce.OPS,
    **gemm.OPS,
    **layout.OPS,
    **conv.OPS,
    **pool2d.OPS,
    **norm.OPS,
}


def simd():
    """The widest instruction set that NumPy's own loops dispatch to, e.g. AVX512_SKX."""
    try:
        from numpy.core._multiarray_umath import __cpu_features__ as features
    except ImportError:
        return "unknown"
    widest_first = "AVX512_SPR AVX512_ICL AVX512_SKX AVX512F AVX2 FMA3 AVX SSE42 ASIMD".split()
    return next((name for name in widest_first if features.get(name)), "baseline")


def blas():
    """The file of the BLAS that is loaded."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            paths = {line.split()[-1] for line in maps if "blas" in line}
    except OSError:
        return "unknown BLAS"
    real = {os.path.basename(os.path.realpath(path)) for path in paths}
    return min(real, key=lambda name: ("openblas" not in name, name), default="unknown BLAS")


class NumPy(nsop_peer.Library):
    name = "numpy"
    version = np.__version__
    summary = "NumPy, one call per step of the formula, results into arrays that exist already."

    def __init__(self):
        np.seterr(all="ignore")
        np.dot(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
        self.simd, self.blas = simd(), blas()
        self.isa = "AVX2" if self.simd in ("AVX2", "FMA3") else self.simd
        self.details = f"SIMD {self.simd}; BLAS {self.blas}"

    def ops(self):
        return OPS

    def prepare(self, case, inputs, outputs, threads):
        in_blas = case.op in IN_BLAS
        started_for = int(os.environ.get("OPENBLAS_NUM_THREADS", threads))
        if threads > 1 and not in_blas:
            raise Unsupported(f"NumPy runs {case.op} on one thread only")
        if threads != started_for:
            raise Unsupported(f"this process was started for {started_for} threads")
        step = OPS[case.op](case, inputs, outputs)
        if not isinstance(step, Step):
            step = Step(step, lambda: outputs, OUT)
        by = self.blas if in_blas else self.simd
        step.chose = f"numpy {self.version} ({by}), {step.chose}; {LAYOUT}"
        return step


if __name__ == "__main__":
    sys.exit(nsop_peer.main(NumPy()))
