"""Intervals of a rate whose cases come in clusters: alarms of one seed's series, which are no
independent nights.

The ratio of two sums over clusters, with its linearised variance (Cochran 1977, Sampling
Techniques, 3rd ed., section 6.3) and Student's t with a degree less than there are clusters; never
narrower than the exact binomial interval of the nights, as it would be where few clusters happen to
agree, or where none has a case.
"""

import math

from scipy import stats

from . import binomial


def rate(pairs, confidence=0.95):
    """Of (cases, nights) by cluster: per 100 nights the two-sided interval, as `low` and `high`,
    and the one-sided bound, as `at_most`."""
    pairs = list(pairs)
    cases, nights = (sum(column) for column in zip(*pairs)) if pairs else (0, 0)
    known = min(cases, nights)
    low, high = binomial.interval(known, nights, confidence)
    most = binomial.at_most(known, nights, confidence)
    if cases > 0 and len(pairs) > 1:
        share, count = cases / nights, len(pairs)
        squares = sum((hits - share * size) ** 2 for hits, size in pairs)
        error = math.sqrt(count / (count - 1) * squares) / nights
        two, one = (stats.t.ppf(q, count - 1) for q in ((1 + confidence) / 2, confidence))
        low = max(0.0, min(low, share - two * error))
        high, most = max(high, share + two * error), max(most, share + one * error)
    return {"low": 100 * low, "high": 100 * high, "at_most": 100 * most}


def median_interval(values, confidence=0.95):
    """(low, high) of the median by order statistics (Conover 1999, section 3.2); the whole range
    of fewer values than it takes. None of none."""
    values = sorted(values)
    if not values:
        return None
    n = len(values)
    k = int(stats.binom.ppf((1 - confidence) / 2, n, 0.5))
    k = k if stats.binom.cdf(k - 1, n, 0.5) <= (1 - confidence) / 2 else k - 1
    k = max(k, 1)
    return [values[k - 1], values[n - k]]
