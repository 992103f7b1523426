"""How often the rule is wrong of rows whose change lies exactly at the margin, and what it leaves
open of rows that did not change, by the correlation of neighbouring rounds: what its intervals
promise holds for independent normal rounds only. Beside it, what widening them by that correlation
would do."""

import numpy as np

from . import files, gate_score, noise
from .comparators import widened

CORRELATIONS = (0.0, 0.2, 0.4, 0.6)
WORTH, SD = 0.01, 0.03  # gate.h; of a round, too noisy for a row to be called the same before
NULL_SD = 0.02  # of a round of rows that did not change: some can be called the same
ROUNDS = 20


def drawn(key, count, correlation):
    """[count gates, rounds]: ln(head / base) at the margin; an autoregression of order one."""
    rng = noise.generator("margin", key, correlation)
    steps = rng.standard_normal((count, ROUNDS))
    for i in range(1, ROUNDS):
        steps[:, i] *= np.sqrt(1 - correlation**2)
        steps[:, i] += correlation * steps[:, i - 1]
    return np.log1p(WORTH) + SD * steps


def unchanged(logs):
    """The same noise, smaller, of rows that did not change."""
    return NULL_SD / SD * (logs - np.log1p(WORTH))


def verdicts(folder, logs, *arguments):
    """By nsop, of [rows, rounds] ln(head / base) in gates of 72 rows."""
    times = 1e6 * np.exp(np.stack([np.zeros_like(logs), logs], axis=2))[..., None]
    path = folder / "margin.csv"
    names = [f"margin/normal/0/{i}" for i in range(len(logs))]
    files.write_gate(path, dict(zip(names, times)))
    said = {row["case_id"]: row["verdict"] for row in files.ask("gate", path, *arguments)}
    return [said[name] for name in names]


def line(folder, seeds, gates, correlation):
    """Of `gates` gates for each seed: how many were called worse in one session, and were left open
    where nothing changed; both as it is and widened."""
    wrong, open_ = np.zeros(2, int), np.zeros(2, int)
    for seed in seeds:
        logs = drawn(seed, gates, correlation)
        nulls = unchanged(logs)
        wrong[0] += verdicts(folder, logs).count("worse")
        wrong[1] += (widened.verdicts(logs, True) == widened.WORSE).sum()
        open_[0] += verdicts(folder, nulls).count("inconclusive")
        open_[1] += (widened.verdicts(nulls, True) == widened.OPEN).sum()
    shares = [gate_score.share(hits, len(seeds) * gates) for hits in (*wrong, *open_)]
    names = "wrong", "wrong_widened", "open", "open_widened"
    return {"correlation": correlation, **dict(zip(names, shares))}


def score(folder, seeds, gates):
    return [line(folder, seeds, gates, correlation) for correlation in CORRELATIONS]
