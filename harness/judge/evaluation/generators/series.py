"""What the three generators have in common: a nightly series with its truth, where a step lies, how
long an operation takes, and a stream of random numbers for every name."""

import zlib
from dataclasses import dataclass

import numpy as np


@dataclass
class Series:
    """A value per night and invocation in ns, the hosts, the level of the code as a logarithm, and
    the nights at which that changes."""

    times: np.ndarray
    hosts: list
    level: np.ndarray
    steps: list


def stream(*key):
    """Random numbers of their own for every key; Philox keys can't run into each other."""
    words = [zlib.crc32(f"{place}:{part}".encode()) for place, part in enumerate(key)]
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(words)))


def duration(rng):
    """Of an operation: from 2 us to 5 ms, all sizes alike."""
    return np.exp(rng.uniform(np.log(2e3), np.log(5e6)))


def ratio(percent):
    return 1 + percent / 100


def stepped(rng, percent, nights):
    """(level by night, nights of a change): a lasting step in the middle half, or none."""
    level = np.zeros(nights)
    if percent == 0:
        return level, []
    at = int(rng.integers(nights // 4, 3 * nights // 4))
    level[at:] = np.log(ratio(percent))
    return level, [at]


def of_slots(slots, percent, rounds):
    """Measurements in the order in which they were taken, [2 * rounds, repetitions], as an array
    [rounds, 2 arms, repetitions]: the base comes first in every other round."""
    pairs = slots.reshape(rounds, 2, -1).copy()
    pairs[1::2] = pairs[1::2, ::-1]
    pairs[:, 1] *= ratio(percent)
    return pairs


def of_nights(rng, times, level, steps):
    """The series of such measurements, [nights, invocations], in units of the undisturbed time."""
    scaled = duration(rng) * times * np.exp(level)[:, None]
    return Series(scaled, ["h"] * len(level), level, steps)
