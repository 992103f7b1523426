"""Exact intervals of a share of counted cases.

Clopper & Pearson 1934, doi:10.1093/biomet/26.4.404: the shares that a binomial test of the counts
does not reject.
"""

import functools
import math

STEPS = 60  # of a bisection: beyond the digits of a double


def _where(falls_below, share):
    """The argument in [0, 1] at which a falling function reaches the share."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if falls_below(middle) < share else (middle, high)
    return (low + high) / 2


def _below(hits, count, share):
    """Probability of fewer than `hits`, summed in logarithms: counts may be thousands."""
    if share <= 0:
        return 1.0 if hits > 0 else 0.0
    if share >= 1:
        return 0.0
    yes, no = math.log(share), math.log1p(-share)
    whole = math.lgamma(count + 1)
    terms = (
        whole - math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * yes + (count - k) * no
        for k in range(hits)
    )
    return min(1.0, sum(map(math.exp, terms)))


@functools.cache  # asked again for the same counts by every table
def interval(hits, count, confidence=0.95):
    """(low, high) of the share, two-sided. The whole range without a case."""
    if not 0 <= hits <= count:
        raise ValueError(f"{hits} of {count} is no share")
    if count == 0:
        return 0.0, 1.0
    if hits > count - hits:  # fewer terms to sum
        low, high = interval(count - hits, count, confidence)
        return 1 - high, 1 - low
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _where(lambda share: _below(hits, count, share), 1 - tail)
    return low, _where(lambda share: _below(hits + 1, count, share), tail)


def at_most(hits, count, confidence=0.95):
    """The largest share that the counts leave possible, one-sided."""
    return 1.0 if count == 0 else interval(hits, count, 2 * confidence - 1)[1]


def at_least(hits, count, confidence=0.95):
    """The smallest share that the counts leave possible, one-sided."""
    return 0.0 if count == 0 else interval(hits, count, 2 * confidence - 1)[0]
