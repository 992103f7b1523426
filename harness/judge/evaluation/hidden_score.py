"""Synthetic histories of code that becomes slower now and then, from one night on: what the
levels of the fastest repetitions show of it, and what the levels of the mean over them show."""

import numpy as np

from . import clusters, distribution_score, files, gate_score, history_score, noise

NIGHTS, INVOCATIONS, REPETITIONS = 150, 10, 10
EARLIEST, LATEST = 60, 110  # nights on which the code changes


def drawn(name, head):
    """([nights, invocations, repetitions] ns of one row, the night of the change)."""
    rng = noise.generator("hidden", name, head)
    profile = noise.PROFILES[name.split("/")[1]]
    change = int(rng.integers(EARLIEST, LATEST))
    nights = noise.history(rng, profile, 0.0, 0, NIGHTS, INVOCATIONS)
    shape = (NIGHTS, INVOCATIONS, REPETITIONS)
    logs = profile.rep * rng.standard_normal(shape)
    hit = rng.random(shape) < profile.preempted
    logs += hit * np.log1p(rng.exponential(max(0.3, profile.outlier_size), shape))
    times = nights.times[:, :, None] * np.exp(logs)
    after = times[change:].reshape(-1, 1, REPETITIONS)
    slower = distribution_score.HEADS[head](rng, np.repeat(after, 2, axis=1))
    times[change:] *= np.broadcast_to(slower, after[:, 0].shape).reshape(times[change:].shape)
    return times, change


def levels_of(times):
    """(fastest, mean over the fastest), a value a night: medians over the invocations."""
    least = times.min(axis=2)
    return np.median(least, axis=1), np.median(times.mean(axis=2) / least, axis=1)


def rises(folder, levels, *arguments):
    """The rises of the levels as a nightly job tells them: name -> [(index, night)]."""
    path = folder / "hidden.csv"
    hosts = ["h0"] * NIGHTS
    series = {n: noise.History(one[:, None], hosts, one, []) for n, one in levels.items()}
    files.write_history(path, series)
    found = {name: [] for name in levels}
    for told in files.ask("history", path, *arguments):
        if float(told["ratio"]) > 1:
            found[told["series_id"]].append((int(told["idx"]), int(told["night"])))
    return found


def is_near(one, other):
    return abs(one - other) <= history_score.NEAR


def hits(told, changes):
    """The delays, in nights, of the changes that were told in time, by name."""
    delays = {}
    for name, change in changes.items():
        nights = [
            max(1, night - change + 1)
            for index, night in told[name]
            if is_near(index, change) and night - change <= history_score.LATEST
        ]
        if nights:
            delays[name] = min(nights)
    return delays


def line(folder, names, head):
    series = {name: drawn(name, head) for name in names}
    changes = {name: change for name, (_, change) in series.items()}
    both = {name: levels_of(times) for name, (times, _) in series.items()}
    fastest = rises(folder, {name: levels[0] for name, levels in both.items()})
    hidden = rises(folder, {name: levels[1] for name, levels in both.items()}, "--excess")
    seen, behind = hits(fastest, changes), hits(hidden, changes)
    both_told = behind.keys() & seen.keys()
    found = {**behind, **seen, **{name: min(behind[name], seen[name]) for name in both_told}}
    false = {
        name: sum(
            head == distribution_score.UNCHANGED or not is_near(index, changes[name])
            for index, _ in hidden[name]
        )
        for name in names
    }
    each = NIGHTS - history_score.FIRST_NIGHT
    seeds = {}
    for name, alarms in false.items():
        seeds.setdefault(name.split("/")[0], []).append(alarms)
    return {
        "head": head,
        "by_fastest": gate_score.share(len(seen), len(names)),
        "found": gate_score.share(len(found), len(names)),
        "median_delay_nights": float(np.median(list(found.values()))) if found else None,
        "false": sum(false.values()),
        "nights": len(names) * each,
        "interval": clusters.rate((sum(one), len(one) * each) for one in seeds.values()),
    }


def score(folder, seeds, copies):
    """A line per kind of head, over all kinds of machines."""
    names = distribution_score.names_of(seeds, copies)
    return [line(folder, names, head) for head in distribution_score.HEADS]
