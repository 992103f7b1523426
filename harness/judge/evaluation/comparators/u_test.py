"""Mann and Whitney's U test at 5 %, as benchstat applies it to the values of two builds.

Source: golang.org/x/perf/cmd/benchstat, its documentation ("Tips" and "Filtering": alpha 0.05,
exact p-values for small samples without ties); Mann & Whitney 1947, doi:10.1214/aoms/1177730491. A
value is what one run of a benchmark prints: the mean of its repetitions. It says "same" wherever it
does not reject, however wide the spread.
"""

import numpy as np
from scipy import stats

ALPHA = 0.05
MOST_EXACT = 50  # values of a side up to which p-values are counted out


def p_value(base, head):
    """Two-sided. Exact where nothing is tied and both sides are small."""
    tied = len(np.unique(np.concatenate([base, head]))) < len(base) + len(head)
    exact = not tied and max(len(base), len(head)) <= MOST_EXACT
    method = "exact" if exact else "asymptotic"
    return stats.mannwhitneyu(base, head, alternative="two-sided", method=method).pvalue


def verdict(times):
    """Of [rounds, 2 arms, repetitions]: worse, better or same."""
    base, head = times.mean(axis=2).T
    if p_value(base, head) >= ALPHA:
        return "same"
    return "worse" if np.median(head) > np.median(base) else "better"
