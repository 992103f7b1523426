"""Every process draws how fast it is, and stays so: where its memory lies decides, and no
repetition inside it shows another mode. Two to four modes, some per cent apart; inside a mode,
times are gamma-distributed, a little between processes and a little between repetitions."""

from dataclasses import dataclass

import numpy as np

from . import series


@dataclass
class Row:
    """How one operation behaves on the machine."""

    factors: np.ndarray  # of its modes, the fastest is 1
    shares: np.ndarray  # of its processes
    process: float  # coefficient of variation between processes of one mode
    repetition: float


def row(rng):
    modes = int(rng.integers(2, 5))
    return Row(
        np.cumprod(np.concatenate([[1.0], 1 + rng.uniform(0.01, 0.06, modes - 1)])),
        rng.dirichlet(np.full(modes, 2.0)),
        rng.uniform(0.001, 0.006),
        rng.uniform(0.001, 0.005),
    )


def near_one(rng, variation, size):
    """Gamma-distributed with mean 1."""
    shape = variation**-2
    return rng.gamma(shape, 1 / shape, size)


def processes(rng, one, count, repetitions):
    """[count, repetitions] times in units of the fastest mode."""
    modes = rng.choice(len(one.shares), count, p=one.shares)
    levels = one.factors[modes] * near_one(rng, one.process, count)
    return levels[:, None] * near_one(rng, one.repetition, (count, repetitions))


def gate(rng, percent, rounds, repetitions):
    """[rounds, 2 arms, repetitions] ns of two builds, the second slower by so many per cent."""
    slots = processes(rng, row(rng), 2 * rounds, repetitions)
    return series.duration(rng) * series.of_slots(slots, percent, rounds)


def nights(rng, percent, count, invocations):
    """A nightly series; each invocation is a process of its own."""
    one = row(rng)
    level, steps = series.stepped(rng, percent, count)
    times = processes(rng, one, count * invocations, 1).reshape(count, invocations)
    return series.of_nights(rng, times, level, steps)
