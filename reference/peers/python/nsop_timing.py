"""Times a step as harness/worker/engine.cpp does."""

import math
import resource
import time
from dataclasses import dataclass
from itertools import repeat

MAX_ITERATIONS = 10**9


@dataclass
class Options:
    warmup_ns: int = 8_000_000  # process CPU time before the first repetition
    repetitions: int = 10
    min_time_ns: int = 2_000_000  # wall time that a repetition aims to exceed
    slow_repetitions: int = 3  # of one operation, where it takes longer than min_time_ns


def _batch(run, iterations):
    for _ in repeat(None, iterations):
        run()


def choose(run, options, known_ns=0):
    """Warms up; returns (iterations, repetitions). `known_ns` is the fastest operation so far."""
    if options.warmup_ns == 0 and known_ns > options.min_time_ns:
        return 1, options.slow_repetitions
    cpu_start, wall_start = time.process_time_ns(), time.monotonic_ns()
    run()
    batch_ns = max(1, time.monotonic_ns() - wall_start)
    # CPU time too: on a busy machine preemptions take most of the wall time of one operation.
    once_ns = min(batch_ns, time.process_time_ns() - cpu_start, known_ns or batch_ns)
    if once_ns > options.min_time_ns:
        return 1, options.slow_repetitions
    long_enough = max(options.min_time_ns // 10, 1)
    batch, op_ns = 1, 0.0

    def warm():
        return (
            time.process_time_ns() - cpu_start >= options.warmup_ns
            or time.monotonic_ns() - wall_start >= 10 * options.warmup_ns
        )

    while op_ns == 0 or not warm():
        start = time.monotonic_ns()
        _batch(run, batch)
        batch_ns = max(1, time.monotonic_ns() - start)
        if batch_ns >= long_enough or batch >= MAX_ITERATIONS:
            op_ns = min(op_ns or math.inf, batch_ns / batch)
        else:
            batch *= 2
    if op_ns > options.min_time_ns:  # it uses little CPU and yet takes long: it waits
        return 1, options.slow_repetitions
    # A tenth more than calibrated: a repetition may well run faster than the warm-up did.
    wanted = math.ceil(1.1 * options.min_time_ns / max(op_ns, 1e-3))
    return min(max(wanted, 1), MAX_ITERATIONS), options.repetitions


def _repetition(run, iterations):
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # The thread's clock outside the process's: what the system charges between two readings would
    # look like another thread's work otherwise.
    thread = time.thread_time_ns()
    process = time.process_time_ns()
    wall = time.monotonic_ns()
    for _ in repeat(None, iterations):
        run()
    wall_end = time.monotonic_ns()
    process_end = time.process_time_ns()
    thread_end = time.thread_time_ns()
    usage_end = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "iterations": iterations,
        "wall_ns": wall_end - wall,
        "process_cpu_ns": process_end - process,
        "thread_cpu_ns": thread_end - thread,
        "involuntary_switches": usage_end.ru_nivcsw - usage.ru_nivcsw,
        "minor_faults": usage_end.ru_minflt - usage.ru_minflt,
        "major_faults": usage_end.ru_majflt - usage.ru_majflt,
    }


def ram_metrics():
    """{name: most memory that the process has had in RAM so far}; {} where nobody tells."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            sizes = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
    except OSError:
        sizes = []
    return {"peak_rss_bytes": 1024 * sizes[0]} if sizes else {}


class Phases:
    """Wall time by phase: what is done since the latest start() or end() is of
    the phase that ends."""

    def __init__(self):
        self.start()

    def start(self):
        self._ns, self._last = {}, time.monotonic_ns()

    def end(self, phase):
        now = time.monotonic_ns()
        self._ns[phase] = self._ns.get(phase, 0) + now - self._last
        self._last = now

    def metrics(self):
        return {f"phase_{phase}_ns": ns for phase, ns in self._ns.items()}


def measure(run, options, known_ns=0, metrics=None):
    """A list of repetitions, each of the same number of iterations. `metrics()` tells more numbers
    of the latest operation, by name."""
    iterations, repetitions = choose(run, options, known_ns)
    found = []
    for _ in range(repetitions):
        found.append(_repetition(run, iterations))
        if metrics:
            found[-1]["metrics"] = {**metrics(), **ram_metrics()}
    return found
