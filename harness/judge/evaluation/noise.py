"""Synthetic measurements with known truth: the noise of machines as numbers, drawn from a seed.

Times are log-normal around a level; levels, modes, outliers and preemption are what a profile says.
"""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

EFFECTS = (0.0, 1.0, 2.0, 5.0, 10.0, -5.0)  # per cent


@dataclass(frozen=True)
class Profile:
    """What one kind of machine does to a time. Standard deviations are of ln(time)."""

    run: float  # between runs of the same code
    rep: float  # between the repetitions of a run
    volatility: float = 0.0  # of the noise's own size, which wanders
    modes: tuple = ((1.0, 0.0),)  # (probability, shift of ln(time))
    sticky: float = 0.0  # probability of keeping the mode of the night before
    outlier: float = 0.0  # probability of a run that is slower as a whole
    outlier_size: float = 0.0  # mean relative slow-down of such a run
    preempted: float = 0.0  # probability of a repetition that was interrupted
    walk: float = 0.0  # nightly random walk of the level
    season: float = 0.0  # amplitude of a cycle of 40 nights
    memory: float = 0.0  # correlation between neighbouring nights
    hosts: int = 0  # announced changes of the host


PROFILES = {
    "quiet": Profile(0.0015, 0.003),
    "lab": Profile(0.005, 0.006, 0.3, outlier=0.01, outlier_size=0.05, preempted=0.01, memory=0.1),
    "ci_vm": Profile(0.02, 0.015, 0.5, outlier=0.04, outlier_size=0.2, preempted=0.05, memory=0.2),
    "hetero": Profile(
        0.008, 0.008, 1.0, outlier=0.02, outlier_size=0.1, preempted=0.02, memory=0.3
    ),
    "bimodal": Profile(
        0.004, 0.005, 0.2, ((0.7, 0.0), (0.3, 0.06)), outlier=0.01, outlier_size=0.1, preempted=0.01
    ),
    "sticky": Profile(
        0.004, 0.005, 0.2, ((0.6, 0.0), (0.4, 0.04)), 0.8, 0.01, outlier_size=0.1, preempted=0.01
    ),
    "outliers": Profile(0.005, 0.006, 0.2, outlier=0.12, outlier_size=0.4, preempted=0.08),
    "drift": Profile(
        0.005, 0.006, 0.2, (), 0, 0.01, 0.1, 0.01, walk=0.0012, season=0.01, memory=0.2
    ),
    "machine": Profile(0.006, 0.006, 0.3, (), 0, 0.01, 0.1, 0.01, memory=0.1, hosts=1),
    "hidden_hw": Profile(
        0.006,
        0.006,
        0.3,
        ((0.5, 0.0), (0.35, 0.07), (0.15, -0.05)),
        0.3,
        0.01,
        0.1,
        0.01,
        memory=0.1,
    ),
    "shared_vm": Profile(
        0.025, 0.02, 0.8, ((0.8, 0.0), (0.2, 0.08)), 0.5, 0.06, 0.5, 0.1, 0.0008, 0.01, 0.3, 1
    ),
}
CALM = ("quiet", "lab")


def generator(*key):
    """A generator of its own for every key, independent of the order in which they are drawn."""
    digest = sha256("|".join(map(str, key)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def pick_mode(rng, profile):
    if not profile.modes:
        return 0.0
    weights = np.array([w for w, _ in profile.modes])
    return profile.modes[rng.choice(len(weights), p=weights / weights.sum())][1]


def scale_of(rng, profile, volatility):
    """The wandering size of the noise: (new state, factor)."""
    volatility = 0.8 * volatility + 0.6 * profile.volatility * rng.standard_normal()
    return volatility, np.exp(min(2.0, volatility))


def gate_rounds(rng, profile, effect, rounds, repetitions):
    """Paired rounds of one row: an array [rounds, 2 arms (base, head), repetitions] of CPU ns.

    The machine's state is shared by both arms of a round; each build has a layout of its own.
    """
    base = 10 ** (3 + 4 * rng.random())
    layout = np.zeros(2) if profile is PROFILES["quiet"] else 0.002 * rng.standard_normal(2)
    state, volatility, mode = 0.0, 0.0, pick_mode(rng, profile)
    times = np.empty((rounds, 2, repetitions))
    for r in range(rounds):
        volatility, scale = scale_of(rng, profile, volatility)
        state = 0.9 * state + 2 * profile.run * scale * np.sqrt(1 - 0.81) * rng.standard_normal()
        if rng.random() >= max(profile.sticky, 0.7):
            mode = pick_mode(rng, profile)
        for arm in range(2):
            second = arm != r % 2  # base first in even rounds, head first in odd ones
            level = state + mode + layout[arm] + 0.001 * second
            level += 0.35 * profile.run * scale * rng.standard_normal()
            level += np.log1p(effect / 100) if arm == 1 else 0.0
            if rng.random() < 0.5 * profile.outlier:
                level += np.log1p(rng.exponential(profile.outlier_size))
            x = level + profile.rep * scale * rng.standard_normal(repetitions)
            hit = rng.random(repetitions) < profile.preempted
            x += hit * np.log1p(rng.exponential(0.02, repetitions))
            times[r, arm] = base * np.exp(x)
    return times


@dataclass
class History:
    """One synthetic series: a value per night and repetition, hosts, and what really happened."""

    times: np.ndarray  # [nights, repetitions] ns
    hosts: list
    level: np.ndarray  # of the code alone, ln
    steps: list  # nights at which the code's level changes


def code_levels(rng, effect, copy, nights):
    """Where the code changes: a lasting step, a step with its repair, or one in the last nights."""
    level, steps = np.zeros(nights), []
    if effect == 0:
        return level, steps
    size = np.log1p(effect / 100)
    if copy % 5 == 3:
        begin = int(rng.integers(int(0.25 * nights), int(0.55 * nights)))
        end = begin + int(rng.integers(15, int(0.3 * nights)))
        level[begin:end] = size
        return level, [begin, end]
    late = copy % 5 == 4
    begin = (
        nights - int(rng.integers(4, 13))
        if late
        else int(rng.integers(int(0.25 * nights), int(0.8 * nights)))
    )
    level[begin:] = size
    return level, [begin]


def history(rng, profile, effect, copy, nights, repetitions):
    base = 10 ** (2 + 6 * rng.random())
    level, steps = code_levels(rng, effect, copy, nights)
    hosts, shift = ["h0"] * nights, np.zeros(nights)
    for k in range(profile.hosts):
        at = int(rng.integers(int(0.15 * nights), int(0.9 * nights)))
        shift[at:] += (0.03 + 0.12 * rng.random()) * rng.choice((-1, 1))
        hosts[at:] = [f"h{k + 1}"] * (nights - at)
    times = np.empty((nights, repetitions))
    volatility = state = drift = 0.0
    mode, phase = pick_mode(rng, profile), 2 * np.pi * rng.random()
    for i in range(nights):
        volatility, scale = scale_of(rng, profile, volatility)
        state = profile.memory * state + np.sqrt(1 - profile.memory**2) * rng.standard_normal()
        drift += profile.walk * rng.standard_normal()
        if rng.random() >= profile.sticky:
            mode = pick_mode(rng, profile)
        run = profile.run * scale * state + mode + drift
        run += profile.season * np.sin(phase + 2 * np.pi * i / 40)
        if rng.random() < profile.outlier:
            run += np.log1p(rng.exponential(profile.outlier_size))
        x = run + level[i] + shift[i] + profile.rep * scale * rng.standard_normal(repetitions)
        hit = rng.random(repetitions) < profile.preempted
        x += hit * np.log1p(rng.exponential(max(0.3, profile.outlier_size), repetitions))
        times[i] = base * np.exp(x)
    return History(times, hosts, level, steps)
