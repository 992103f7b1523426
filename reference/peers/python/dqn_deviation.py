#!/usr/bin/env python3
"""How far PyTorch's float32 training is from the double-precision replay of dqn_train.

For each number of updates and calls, over recorded batches from so many seeds: the median, the
90 % quantile and the largest of both deviations. The table of docs/dqn.md, from which the
tolerances of dqn_train and dqn2048 follow, was printed by this program. With --write, the deviation
from each seed goes into a file, together with a hash of the initial weights and batches. Our
variants are held against the deviations of dqn_deviation.tsv, on the very same batches.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch_worker
from nsop_cases import Case
from torch_ops import dqn2048

ROOT = Path(__file__).resolve().parents[3]
RECORD = Path(__file__).with_name("dqn_deviation.tsv")
CALLS = (1, 10, 100)
HEAD = """# How far PyTorch {version} ({isa}, 1 thread) is from the double-precision replay, by run.
# On {cpu}: the BLAS beneath chooses its kernels by the processor, and rounds as they do.
# Written by reference/peers/python/dqn_deviation.py --write; \
inputs: SHA-256 of weights and batches.
# case\tseed\tinputs\tlosses (relative)\tparameters (absolute)
"""


def cpu_model():
    """The processor's name, as the machine gives it."""
    names = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return names[0] if names else platform.machine()


class Worker:
    """The reference, asked through the worker protocol."""

    def __init__(self, program):
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        command = [program, "--pipes", f"{requests},{answers}"]
        self._process = subprocess.Popen(command, pass_fds=(requests, answers))
        os.close(requests)
        os.close(answers)
        self._lines = os.fdopen(self._answers)

    def reference(self, case, seed, folder):
        """(inputs, expected outputs)."""
        request = {"id": seed, "do": "reference", "case": case, "seed": seed, "dir": folder}
        os.write(self._requests, json.dumps(request).encode() + b"\n")
        answer = json.loads(self._lines.readline())
        if not answer["ok"]:
            raise RuntimeError(answer["error"]["message"])
        return [list(map(np.load, answer[name])) for name in ("inputs", "expected")]

    def close(self):
        os.close(self._requests)
        self._process.wait()


def deviation(worker, case, seed):
    """The hash of the inputs, and the largest deviation of the losses (each relative to its own
    value) and of the parameters (absolute)."""
    with tempfile.TemporaryDirectory() as folder:
        inputs, (losses, parameters) = worker.reference(case, seed, folder)
    outputs = [torch.empty(losses.shape), torch.empty(parameters.shape)]
    step = dqn2048.dqn_train(Case(case), list(map(torch.from_numpy, inputs)), outputs)
    step.run()
    off = [np.abs(got.numpy() - want) for got, want in zip(outputs, (losses, parameters))]
    digest = hashlib.sha256(b"".join(array.tobytes() for array in inputs)).hexdigest()
    return digest, float((off[0] / np.abs(losses)).max()), float(off[1].max())


def parsed_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    worker = ROOT / "build/release/bin/nsop-worker"
    parser.add_argument("worker", nargs="?", default=worker, help="(build/release/bin/nsop-worker)")
    parser.add_argument("seeds", nargs="?", type=int, default=20, help="how many, at least 2 (20)")
    parser.add_argument(
        "--write", nargs="?", const=RECORD, type=Path, metavar="FILE", help=f"({RECORD.name})"
    )
    arguments = parser.parse_args()
    if not os.access(arguments.worker, os.X_OK):
        parser.error(f"{arguments.worker} is no program; make build builds it")
    if arguments.seeds < 2:
        parser.error(f"expected at least 2 seeds, given {arguments.seeds}")
    return arguments


def table_cells(found):
    """Of pairs of deviations: median, 90 % quantile and largest of the first and of the second."""
    cells = []
    for values in zip(*found):
        quantile = sorted(values)[(9 * len(values)) // 10 - 1]
        cells += [f"{v:.2g}" for v in (statistics.median(values), quantile, max(values))]
    return cells


def main():
    arguments = parsed_arguments()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    library = torch_worker.PyTorch()
    record = [HEAD.format(version=library.version, isa=library.isa, cpu=cpu_model())]
    worker = Worker(arguments.worker)
    print("| updates | calls | losses: median | 90 % | largest", end="")
    print(" | parameters: median | 90 % | largest |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for updates in (1, 32):
        for calls in CALLS:
            case = f"dqn_train updates={updates} calls={calls}"
            found = [deviation(worker, case, seed) for seed in range(1, 1 + arguments.seeds)]
            for seed, (digest, losses, parameters) in enumerate(found, 1):
                record.append(f"{case}\t{seed}\t{digest}\t{losses:.6g}\t{parameters:.6g}\n")
            cells = table_cells([pair for _, *pair in found])
            print(f"| {updates} | {calls} | {' | '.join(cells)} |", flush=True)
    worker.close()
    if arguments.write:
        arguments.write.write_text("".join(record))


if __name__ == "__main__":
    main()
