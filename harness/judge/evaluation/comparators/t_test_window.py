"""A t test of the points before against the points after, along the series: Perfherder's alerts.

Source: Mozilla's Treeherder, https://wiki.mozilla.org/TestEngineering/Performance/Sheriffing and
the settings of its alerts: 12 to 24 points back, 12 forward, t above 7, a change of 2 %. Points
weigh less the further they are from the one that is looked at (bug 879903), the variance is taken
around that weighted mean, and without a pooled variance (Welch 1947, doi:10.1093/biomet/34.1-2.28).
A point is told where its t is above both neighbours'. The window backwards grows by a point with
every point that is not above the threshold, so that it doesn't reach over the last change.
"""

import math

LEAST_BACK, MOST_BACK, FORWARD = 12, 24, 12
THRESHOLD = 7
LEAST_CHANGE = 0.02  # of the plain mean before


def weighted(values):
    """(mean, variance) of values, the nearest one first: weights fall from 1 to 1/n."""
    count = len(values)
    total = sum((count - i) * value for i, value in enumerate(values))
    mean = total / (count * (count + 1) / 2)
    if count < 2:
        return mean, 0.0
    return mean, sum((value - mean) ** 2 for value in values) / (count - 1)


def t_value(before, after):
    """The size of t; both sides begin with the value that is nearest to the change."""
    (mean_before, variance_before), (mean_after, variance_after) = weighted(before), weighted(after)
    difference = mean_after - mean_before
    if difference == 0:
        return 0.0
    variance = variance_before / len(before) + variance_after / len(after)
    return abs(difference) / math.sqrt(variance) if variance > 0 else math.inf


class Window:
    """The t of every point of a series, from the first one on; of a point near the end as far as
    its window reaches."""

    def __init__(self, values):
        self.values = list(map(float, values))
        self.quiet = 0  # points since the last one above the threshold

    def sides(self, i):
        back = min(max(self.quiet, LEAST_BACK), MOST_BACK, i)
        return self.values[i - back : i][::-1], self.values[i : i + FORWARD]

    def t(self, i, count):
        """Of point i when so many points are there."""
        before, after = self.sides(i)
        return t_value(before, after[: count - i])

    def note(self, t):
        self.quiet = 0 if t > THRESHOLD else self.quiet + 1

    def is_large(self, i):
        before, after = self.sides(i)
        mean_before, mean_after = sum(before) / len(before), sum(after) / len(after)
        return abs(mean_after - mean_before) >= LEAST_CHANGE * mean_before


def nightly(values):
    """What each night shows: yields (night, [places of changes]). The t of a point is final once
    its window is full, so that a night has one full point more, and looks at the one after it."""
    window = Window(values)
    told, last = [], 0.0  # changes that stay; the t of the newest full point
    pending = None  # that point, where only its next neighbour can rule it out
    for night in range(len(values)):
        count, i = night + 1, night + 1 - FORWARD
        if i >= 1:
            t = window.t(i, count)
            if pending is not None and t <= last:
                told.append(pending)
            is_peak = i >= LEAST_BACK and t > THRESHOLD and last <= t
            pending = i if is_peak and window.is_large(i) else None
            window.note(t)
            last = t
        stands = pending is not None and window.t(pending + 1, count) <= last
        yield night, [*told, pending] if stands else list(told)


def changes(values):
    """Places of the changes that the whole series shows, each the first point after it."""
    shown = []
    for _, shown in nightly(values):
        pass
    return shown
