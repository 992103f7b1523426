"""E-divisive with means, as Apache Otava (formerly Hunter) runs it.

Sources: Matteson & James 2014, "A Nonparametric Approach for Multiple Change Point Analysis of
Multivariate Data", section 2 (the divergence Q, here with alpha 1, and hierarchical division),
doi:10.1080/01621459.2013.849605; Fleming et al. 2023, "Hunter: Using Change Point Detection to Hunt
for Performance Regressions", section 3 (Student's t test instead of permutations, windows that
overlap by half, weak change points that are merged), doi:10.1145/3578244.3583719; Apache Otava,
docs/MATH.md and its defaults: windows of 50 points, p at most 0.001, weak ones at ten times that,
no least magnitude. What it ships, so does this, also where the papers say otherwise: standard
deviations divide by n, not n - 1, and see `merged`. It finds the change points that Otava's own
tests expect.
"""

import functools

import numpy as np
from scipy import special

WINDOW, MOST_P, LEAST_MAGNITUDE = 50, 0.001, 0.0


def best_split(values):
    """(Q, place) that part the values best: the largest Q of values[:place] against
    values[place:end], over all places and ends. (-inf, None) of fewer than two values."""
    n = len(values)
    if n < 2:
        return -np.inf, None
    sums = np.zeros((n + 1, n + 1))
    sums[1:, 1:] = np.abs(np.subtract.outer(values, values)).cumsum(0).cumsum(1)
    place, end = np.ogrid[1:n, 2 : n + 1]
    valid = end > place
    left, right = place, np.where(valid, end - place, 1)
    diagonal = np.diagonal(sums)
    at_place, at_end = diagonal[1:n][:, None], diagonal[2 : n + 1][None, :]
    to_end = sums[1:n, 2 : n + 1]  # of values[:place] with values[:end]
    between = to_end - at_place
    within_right = (at_end - 2 * to_end + at_place) / 2

    def mean_of_pairs(total, count):
        pairs = count * (count - 1) / 2
        return np.divide(
            total, pairs, out=np.zeros(np.broadcast(total, pairs).shape), where=pairs > 0
        )

    energy = 2 * between / (left * right)
    energy = energy - mean_of_pairs(at_place / 2, left) - mean_of_pairs(within_right, right)
    q = np.where(valid, left * right / (left + right) * energy, -np.inf)
    k = int(q.argmax())
    return q.flat[k], int(place[k // q.shape[1], 0])


def p_value(left, right):
    """Of Student's t test, two-sided, with standard deviations that divide by n."""
    freedom = len(left) + len(right) - 2
    if freedom < 1:
        return 1.0
    difference = left.mean() - right.mean()
    pooled = ((len(left) - 1) * left.var() + (len(right) - 1) * right.var()) / freedom
    if pooled == 0:
        return 0.0 if difference else 1.0
    t = difference / np.sqrt(pooled * (1 / len(left) + 1 / len(right)))
    return 2 * special.stdtr(freedom, -abs(t))


def divide(values, most_p):
    """Change points of the values: the best one of all parts, as long as it is significant."""
    values = np.asarray(values, float)
    parts = {(0, len(values)): best_split(values)}
    points = []
    while parts:
        (begin, end), (_, place) = max(parts.items(), key=lambda item: item[1][0])
        if place is None:
            break
        at = begin + place
        if p_value(values[begin:at], values[at:end]) > most_p:
            break
        points.append(at)
        del parts[begin, end]
        parts[begin, at] = best_split(values[begin:at])
        parts[at, end] = best_split(values[at:end])
    return sorted(points)


def weak_points(values, window, divided):
    """Change points of windows that overlap by half; the next one begins at the last change."""
    begin, points = 0, set()
    while begin < len(values):
        end = min(begin + window, len(values))
        found = [begin + at for at in divided(begin, end)]
        points.update(found)
        begin = max([begin + window // 2, *found[-1:]])
    return sorted(points)


def against_neighbours(points, k, values):
    """(p, magnitude) of a point, of the parts on both sides of it."""
    begin, at, end = ([0, *points, len(values)])[k : k + 3]
    left, right = values[begin:at], values[at:end]
    ratio = right.mean() / left.mean()
    return p_value(left, right), max(abs(ratio - 1), abs(1 / ratio - 1))


def merged(points, values, most_p, least_magnitude):
    """The points that stay: the weakest goes first, until all are significant and large enough.
    As Otava ships it, the two points after one that goes are judged anew, the one before it is
    not; the paper says both neighbours."""
    points = list(points)
    scored = [against_neighbours(points, k, values) for k in range(len(points))]
    while points:
        worst = max(range(len(points)), key=lambda k: scored[k][0])
        if scored[worst][0] < most_p:
            worst = min(range(len(points)), key=lambda k: scored[k][1])
            if scored[worst][1] > least_magnitude:
                break
        del points[worst], scored[worst]
        for k in range(worst, min(worst + 2, len(points))):
            scored[k] = against_neighbours(points, k, values)
    return points


def changes(values, window=WINDOW, most_p=MOST_P, least_magnitude=LEAST_MAGNITUDE, divided=None):
    """Places of the changes, each the first point after it."""
    values = np.asarray(values, float)
    weak = 10 * most_p if most_p < 0.05 else min(2 * most_p, max(most_p, 0.5))
    divided = divided or (lambda begin, end: divide(values[begin:end], weak))
    points = weak_points(values, window, divided)
    return merged(points, values, most_p, least_magnitude)


def nightly(values):
    """What each night shows: yields (night, [places of changes]). Windows that a night before had,
    too, are not divided again."""
    values = np.asarray(values, float)
    divided = functools.cache(lambda begin, end: divide(values[begin:end], 10 * MOST_P))
    for night in range(len(values)):
        yield night, changes(values[: night + 1], divided=divided)
