"""The gate's rule for fastest repetitions once more, with intervals that are widened by the
correlation of neighbouring rounds as those of histories are (Bartlett 1946, doi:10.2307/2983611):
what that would do. Without widening it is harness/stats/gate, which tests hold it to."""

import numpy as np
from scipy import stats

LOOKS = ((6, 0.002), (10, 0.004), (20, 0.01))
WORTH, SAME, SAME_ROUNDS = np.log(1.01), np.log(1.02), 10
MANY, FEWEST_OF_HISTORIES = 20, 9
FAR, FAR_SD = np.log(1.04), 3.0
OPEN, WORSE, BETTER, IS_SAME = range(4)


def clipped(rounds, share):
    """Each row's values, the outer ones as far out as the next (winsorised)."""
    cut = int(share * rounds.shape[1])
    ordered = np.sort(rounds, axis=1)
    return np.clip(rounds, ordered[:, cut, None], ordered[:, -1 - cut, None])


def middle(rounds, share):
    """(trimmed mean, its standard error, degrees of freedom)."""
    count = rounds.shape[1]
    cut = int(share * count)
    kept = count - 2 * cut
    mean = np.sort(rounds, axis=1)[:, cut : count - cut].mean(axis=1)
    squares = clipped(rounds, share).var(axis=1, ddof=1) * (count - 1)
    return mean, np.sqrt(squares / (kept * (kept - 1))), kept - 1


def neighbour_correlation(rounds, share):
    """Of each row; values far out don't count more than the next ones."""
    off = clipped(rounds, share)
    off = off - off.mean(axis=1, keepdims=True)
    squares = (off**2).sum(axis=1)
    products = (off[:, 1:] * off[:, :-1]).sum(axis=1)
    return np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0)


def widening(rounds, share):
    """sqrt((1 + r) / (1 - r)), r from 0 to 0.9; 1 of nine rounds or fewer, as in histories."""
    if rounds.shape[1] <= FEWEST_OF_HISTORIES:
        return 1.0
    r = np.clip(neighbour_correlation(rounds, share), 0, 0.9)
    return np.sqrt((1 + r) / (1 - r))


def is_lopsided(rounds):
    """Do rounds far from the middle lie on one side?"""
    off = abs(rounds - np.median(rounds, axis=1, keepdims=True))
    far = np.maximum(FAR, FAR_SD * np.median(off, axis=1) / stats.norm.ppf(0.75))[:, None]
    above, below = (rounds > far).sum(axis=1), (rounds < -far).sum(axis=1)
    if rounds.shape[1] < MANY:
        return above != below
    most = np.maximum(above, below)
    return (above != below) & (stats.binom.sf(most - 1, above + below, 0.5) <= 1 / 16)


def verdicts(logs, widen):
    """OPEN, WORSE, BETTER or IS_SAME of each row of [rows, 20 rounds] ln(head / base)."""
    found = np.full(len(logs), OPEN)
    for count, alpha in LOOKS:
        left = found == OPEN
        rounds, share = logs[left, :count], 0.2 if count >= MANY else 0.1
        mean, error, df = middle(rounds, share)
        half = stats.t.ppf(1 - alpha / 2, df) * error * (widening(rounds, share) if widen else 1)
        same = (mean - half > -SAME) & (mean + half < SAME) & ~is_lopsided(rounds)
        said = np.where(same & (count >= SAME_ROUNDS), IS_SAME, OPEN)
        said = np.where(mean - half > WORTH, WORSE, said)
        found[left] = np.where(mean + half < -WORTH, BETTER, said)
    return found
