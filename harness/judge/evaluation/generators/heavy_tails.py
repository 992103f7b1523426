"""Noise without a bound: from process to process, times differ by Student's t with two to four
degrees of freedom, in both directions; and every repetition is held up by a Pareto-distributed time
(Lomax), whose variance may be infinite."""

from dataclasses import dataclass

import numpy as np

from . import series


@dataclass
class Tails:
    """How heavy the tails of one row are."""

    freedom: float  # of the t between processes
    scale: float  # of that t, of the logarithm of a time
    index: float  # of the Pareto delays of repetitions
    delay: float  # their scale, as a share of the time


def tails(rng):
    return Tails(
        rng.uniform(2, 4),
        rng.uniform(0.001, 0.006),
        rng.uniform(1.3, 2.5),
        rng.uniform(0.001, 0.01),
    )


def processes(rng, one, count, repetitions):
    """[count, repetitions] in units of the undisturbed time."""
    levels = np.exp(one.scale * rng.standard_t(one.freedom, count))
    return levels[:, None] * (1 + one.delay * rng.pareto(one.index, (count, repetitions)))


def gate(rng, percent, rounds, repetitions):
    """[rounds, 2 arms, repetitions] ns of two builds, the second slower by so many per cent."""
    slots = processes(rng, tails(rng), 2 * rounds, repetitions)
    return series.duration(rng) * series.of_slots(slots, percent, rounds)


def nights(rng, percent, count, invocations):
    """A nightly series; all invocations of a night share the night's t."""
    level, steps = series.stepped(rng, percent, count)
    times = processes(rng, tails(rng), count, invocations)
    return series.of_nights(rng, times, level, steps)
