"""What the rules of others tell of drawn series, in the form of our own alerts."""

import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from .comparators import CHANGE_POINT_RULES, replay


def values_of(one):
    """A value a night, which all rules see: the median over the repetitions."""
    return np.median(one.times, axis=1)


def told_by(nightly, made, first_night):
    """What a rule tells of all series, here and now."""
    return [
        {"series_id": name, "idx": place, "night": night}
        for name, (_, _, one) in made.items()
        for place, night in replay.told(nightly, values_of(one), one.hosts, first_night)
    ]


def chosen(made):
    """A series of each seed, kind of machine and effect: rules that fit whole series every night
    take seconds for a dozen. The copies, which differ in what changes, take turns by seed."""
    kept, copies = {}, {}
    for name in made:
        copies.setdefault(name.rpartition("/")[0], []).append(name)
    for cell, names in copies.items():
        seed = cell.partition("/")[0]
        name = names[int(seed) % len(names)]
        kept[name] = made[name]
    return kept


def _tells(job):
    rule, name, values, hosts, first_night = job
    told = replay.told(CHANGE_POINT_RULES[rule], values, hosts, first_night)
    return [{"series_id": name, "idx": place, "night": night} for place, night in told]


def told_by_fits(made, first_night):
    """What each change-point rule tells of all series; on all processors."""
    jobs = [
        (rule, name, values_of(one), one.hosts, first_night)
        for rule in CHANGE_POINT_RULES
        for name, (_, _, one) in made.items()
    ]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        answers = list(workers.map(_tells, jobs, chunksize=16))
    told = {rule: [] for rule in CHANGE_POINT_RULES}
    for (rule, *_), alerts in zip(jobs, answers):
        told[rule] += alerts
    return told
