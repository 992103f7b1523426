"""Noise that remembers: the machine's speed is an autoregression of order one over the measurements
in the order in which they are taken, and now and then a neighbour takes a share of the machine for
several measurements in a row (a two-state chain, Gilbert 1960,
doi:10.1002/j.1538-7305.1960.tb03959.x).
"""

from dataclasses import dataclass

import numpy as np

from . import series


@dataclass
class Machine:
    """What the measurements of one row go through."""

    correlation: float  # of the speed in neighbouring measurements
    deviation: float  # of the logarithm of the speed
    begins: float  # probability that a burst begins
    ends: float  # probability that it ends
    repetition: float  # deviation of a repetition's logarithm


def machine(rng):
    return Machine(
        rng.uniform(0.4, 0.9),
        rng.uniform(0.002, 0.012),
        rng.uniform(0.01, 0.05),
        rng.uniform(0.15, 0.5),
        rng.uniform(0.001, 0.006),
    )


def speeds(rng, one, count):
    """Logarithms, stationary from the first on."""
    found = np.empty(count)
    found[0] = one.deviation * rng.standard_normal()
    fresh = one.deviation * np.sqrt(1 - one.correlation**2) * rng.standard_normal(count)
    for i in range(1, count):
        found[i] = one.correlation * found[i - 1] + fresh[i]
    return found


def disturbed(rng, one, count):
    """Which measurements lie in a burst, as the number of that burst; 0 is none."""
    found, number = np.zeros(count, int), 0
    share = one.begins / (one.begins + one.ends)
    inside = rng.random() < share
    number += inside
    for i, chance in enumerate(rng.random(count)):
        if i > 0:
            begins = not inside and chance < one.begins
            inside = chance >= one.ends if inside else begins
            number += begins
        found[i] = number if inside else 0
    return found


def measurements(rng, one, count, repetitions):
    """[count, repetitions] in units of the undisturbed time."""
    logs = speeds(rng, one, count)
    burst = disturbed(rng, one, count)
    taken = np.concatenate([[0.0], rng.uniform(0.03, 0.3, burst.max())])  # share of the machine
    logs -= np.log1p(-taken[burst])
    return np.exp(logs[:, None] + one.repetition * rng.standard_normal((count, repetitions)))


def gate(rng, percent, rounds, repetitions):
    """[rounds, 2 arms, repetitions] ns of two builds, the second slower by so many per cent."""
    slots = measurements(rng, machine(rng), 2 * rounds, repetitions)
    return series.duration(rng) * series.of_slots(slots, percent, rounds)


def nights(rng, percent, count, invocations):
    """A nightly series; the invocations of a night are one measurement of the machine."""
    level, steps = series.stepped(rng, percent, count)
    times = measurements(rng, machine(rng), count, invocations)
    return series.of_nights(rng, times, level, steps)
