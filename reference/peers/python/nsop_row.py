"""One row of a peer: a case, prepared for its library."""

import time
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import nsop_cases
import numpy as np

ALIGNMENT = 64  # bytes; of inputs and outputs, as in the C++ workers


LAYOUT = "plain layout, copies and reorders inside"  # what every Step of these peers does


class Unsupported(Exception):
    """The library can't do this; the text says why."""


@dataclass
class Step:
    """A prepared operation. Everything but run() is set-up and is never timed."""

    run: Callable[[], object]
    outputs: Callable[[], Sequence]  # arrays, as the library left them
    chose: str = ""
    refresh: Optional[Callable[[], None]] = None  # called when the inputs have been overwritten
    metrics: Optional[Callable[[], dict]] = None  # numbers of the latest run, by name


def registry():
    """A table of ops and the decorator that fills it."""
    ops = {}

    def op(function):
        ops[function.__name__] = function
        return function

    return ops, op


def aligned(shape):
    """An uninitialised float32 array that starts at a multiple of 64 bytes."""
    count = int(np.prod(shape, dtype=np.int64))
    raw = np.empty(count * 4 + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + count * 4].view(np.float32).reshape(shape)


class Row:
    """One case, prepared for the library."""

    def __init__(self, library, case, threads, paths):
        self.identity = (case.line, threads)
        in_specs, self._out_specs = case.shapes()
        self._shapes = [shape for _, shape in in_specs]
        self.inputs = [aligned(shape) for shape in self._shapes]
        self.overwrite_inputs(paths)
        self._outputs = [aligned(shape) for _, shape in self._out_specs]
        stored_as = case.text("type", "f32")
        if stored_as not in library.types:
            raise Unsupported(f"{library.name} has no type {stored_as} here")
        self.step = library.prepare(case, self.inputs, self._outputs, threads)
        self.fastest_ns = 0

    def overwrite_inputs(self, paths):
        """In place, so that whatever was derived from the first ones shows."""
        for array, fresh in zip(self.inputs, nsop_cases.read_inputs(paths, self._shapes)):
            np.copyto(array, fresh)

    def run_once(self):
        """Fills the outputs with NaN, runs the step once, returns its wall time in ns."""
        if self.step.refresh:
            self.step.refresh()
        for array in self._outputs:
            array.fill(np.nan)
        start = time.monotonic_ns()
        self.step.run()
        took = max(1, time.monotonic_ns() - start)
        self.fastest_ns = min(self.fastest_ns or took, took)
        return took

    def write_inputs(self, folder):
        return _write(folder, "input", self.inputs)

    def write_outputs(self, folder):
        arrays = [np.asarray(array, np.float32) for array in self.step.outputs()]
        for (name, shape), array in zip(self._out_specs, arrays):
            if array.size != int(np.prod(shape, dtype=np.int64)):
                raise RuntimeError(f"output '{name}' has shape {array.shape}, the case has {shape}")
        arrays = [array.reshape(spec[1]) for spec, array in zip(self._out_specs, arrays)]
        return _write(folder, "output", arrays)


def _write(folder, stem, arrays):
    paths = []
    for i, array in enumerate(arrays):
        paths.append(f"{folder}/{stem}{i}.npy")
        np.save(paths[-1], np.ascontiguousarray(array))
    return paths
