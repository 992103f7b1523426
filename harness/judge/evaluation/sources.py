"""Where drawn measurements come from: the machines of noise.py, and generators that share nothing
with them. A row's name is `seed/profile/effect/copy`."""

from collections.abc import Callable
from dataclasses import dataclass

from . import noise
from .generators import GENERATORS, series


@dataclass(frozen=True)
class Source:
    """`rounds(profile, effect, rounds, repetitions, *key)`: [rounds, 2 arms, repetitions] ns;
    `nights(profile, effect, copy, nights, repetitions, *key)`: a series with times, hosts, level
    and steps. Equal keys draw equal numbers."""

    profiles: tuple
    rounds: Callable
    nights: Callable


def machine_rounds(profile, effect, rounds, repetitions, *key):
    rng = noise.generator(*key)
    return noise.gate_rounds(rng, noise.PROFILES[profile], effect, rounds, repetitions)


def machine_nights(profile, effect, copy, nights, repetitions, *key):
    rng = noise.generator(*key)
    return noise.history(rng, noise.PROFILES[profile], effect, copy, nights, repetitions)


def other_rounds(profile, effect, rounds, repetitions, *key):
    return GENERATORS[profile].gate(series.stream(*key), effect, rounds, repetitions)


def other_nights(profile, effect, _, nights, repetitions, *key):
    return GENERATORS[profile].nights(series.stream(*key), effect, nights, repetitions)


MACHINES = Source(tuple(noise.PROFILES), machine_rounds, machine_nights)
OTHERS = Source(tuple(GENERATORS), other_rounds, other_nights)


def names(source, seeds, copies, effects=noise.EFFECTS):
    """(name, profile, effect, copy) of every row."""
    for seed in seeds:
        for profile in source.profiles:
            for effect in effects:
                for copy in range(copies):
                    yield f"{seed}/{profile}/{effect:g}/{copy}", profile, effect, copy
