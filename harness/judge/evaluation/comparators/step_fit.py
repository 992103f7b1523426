"""Steps of a piecewise constant fit: how asv's published pages find regressions.

Sources: the documentation of airspeed velocity, "Step detection" (asv.step_detect): medians of
segments with the least absolute deviations and a price gamma for each (Friedrich et al. 2008,
doi:10.1198/106186008X285591), gamma by a Schwarz criterion (Yao 1988,
doi:10.1016/0167-7152(88)90118-6) of 4 ln(n) / n a segment, with autocorrelated residuals; then
rises only, of 5 % and more than the mean deviation, that still stand on the last day, and none of a
single point that the next level takes back. Here the fit is exact, where asv merges pieces of at
most 20 points, and gamma is the best of a grid, where asv searches: both may find a better optimum.
All points weigh the same. What becomes faster is no regression, so never told.
"""

import heapq
import math

import numpy as np

PRICE = 4.0  # times ln(n) / n, for a segment
LEAST_RISE, LEAST_POINTS = 0.05, 2
GAMMAS_PER_DECADE = 8


class Deviations:
    """Median and sum of absolute deviations of all parts of a series: of values[begin:end] in
    [begin, end]."""

    def __init__(self, values):
        n = len(values)
        self.values = np.asarray(values, float)
        self.median = np.zeros((n, n + 1))
        self.deviation = np.full((n, n + 1), np.inf)
        for begin in range(n):
            self._grow(begin)

    def _grow(self, begin):
        """Two heaps hold the lower and the upper half of the values so far."""
        lower, upper, low_sum, high_sum = [], [], 0.0, 0.0
        for end, value in enumerate(self.values[begin:].tolist(), begin + 1):
            highest = -heapq.heappushpop(lower, -value)  # of the lower half, moves up
            low_sum += value - highest
            heapq.heappush(upper, highest)
            high_sum += highest
            if len(upper) > len(lower) + 1:
                least = heapq.heappop(upper)
                high_sum -= least
                heapq.heappush(lower, -least)
                low_sum += least
            odd = len(upper) > len(lower)
            middle = upper[0] if odd else (upper[0] - lower[0]) / 2
            self.median[begin, end] = middle
            deviation = high_sum - low_sum - (middle if odd else 0)
            self.deviation[begin, end] = max(deviation, 0.0)


def fits(deviations, gammas):
    """For each gamma and end: where the last segment of the best fit of values[:end] begins."""
    n = len(deviations.values)
    cost = np.zeros((len(gammas), n + 1))
    begins = np.zeros((len(gammas), n + 1), int)
    rows = np.arange(len(gammas))
    for end in range(1, n + 1):
        total = cost[:, :end] + deviations.deviation[:end, end]
        begins[:, end] = total.argmin(axis=1)
        cost[:, end] = total[rows, begins[:, end]] + gammas
    return begins


def ends_of(begins, end):
    """The segments of a fit of values[:end] as their ends, the first one first."""
    ends = []
    while end > 0:
        ends.append(end)
        end = begins[end]
    return tuple(reversed(ends))


def least_deviation(residuals):
    """The sum of |e[i] - rho e[i-1]| at the best rho in [-1, 1]: a weighted median of ratios."""
    before, after = residuals[:-1], residuals[1:]
    weights = np.abs(before)
    known = weights > 0
    rho = 0.0
    if known.any():  # a tiny residual has a ratio of any size, and no weight
        with np.errstate(over="ignore"):
            ratios = after[known] / before[known]
        order = ratios.argsort()
        reached = weights[known][order].cumsum()
        rho = float(np.clip(ratios[order][np.searchsorted(reached, reached[-1] / 2)], -1, 1))
    return abs(residuals[0]) + np.abs(after - rho * before).sum()


def criterion(deviations, ends):
    """What the best number of segments makes smallest."""
    begins = (0, *ends[:-1])
    levels = np.array([deviations.median[pair] for pair in zip(begins, ends)])
    n = ends[-1]
    residuals = deviations.values[:n] - np.repeat(levels, np.diff((0, *ends)))
    if len(levels) > 2:
        floor = 0.1 * np.abs(np.diff(levels)).min()
    else:
        floor = 0.001 * np.abs(levels).min()
    return PRICE * math.log(n) / n * len(ends) + math.log(
        max(floor, 1e-300) + least_deviation(residuals)
    )


def regressions(deviations, ends):
    """Places of the rises that still stand at the end, from the last segment back to the first."""
    found, kept = [], None  # kept: (level, deviation) that was the reference before a short segment
    begins = (0, *ends[:-1])
    reference = None  # (level, mean deviation) of what is not yet explained
    for begin, end in reversed(list(zip(begins, ends))):
        level = deviations.median[begin, end]
        spread = deviations.deviation[begin, end] / (end - begin)
        if reference is None:
            reference = level, spread
        least = max(spread, reference[1], LEAST_RISE * level)
        if reference[0] > level + least:
            if end - begin < LEAST_POINTS:
                kept = reference
            found.append(end)
            reference = level, spread
        elif kept is not None:
            if kept[0] <= level + least:
                found.pop()
                reference = kept
            kept = None
    return found[::-1]


def nightly(values):
    """What each night shows: yields (night, [places of rises]). The fits of all nights share one
    table of deviations."""
    n = len(values)
    deviations = Deviations(values)
    totals = deviations.deviation[0, 1:]
    most = totals.max()
    if most <= 0:
        yield from ((night, []) for night in range(n))
        return
    least = max(0.1 / n * np.median(totals), most * 1e-6)
    count = max(2, math.ceil(GAMMAS_PER_DECADE * math.log10(most / least)) + 1)
    begins = fits(deviations, np.geomspace(least, most, count)).tolist()
    for night in range(n):
        candidates = {ends_of(of_gamma, night + 1) for of_gamma in begins}
        best = min(candidates, key=lambda ends: (criterion(deviations, ends), ends))
        yield night, regressions(deviations, best)


def changes(values):
    """Places of the rises that the whole series shows, each the first point after it."""
    shown = []
    for _, shown in nightly(values):
        pass
    return shown
