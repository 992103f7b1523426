"""The rules that other tools use, on the same data. They are here to be compared with, in SciPy's
words; no verdict of nsop comes from them."""

import numpy as np
from scipy import stats


def by_u_test(times):
    """Mann-Whitney U test at 5 % on the means of the rounds, base against head (benchstat)."""
    means = times.mean(axis=2)
    if stats.mannwhitneyu(means[:, 0], means[:, 1]).pvalue >= 0.05:
        return "same"
    return "worse" if np.median(means[:, 1]) > np.median(means[:, 0]) else "better"


def by_one_run(times):
    """More than 5 % between one run of each (most hand-made gates)."""
    ratio = times[0, 1].mean() / times[0, 0].mean()
    return "worse" if ratio > 1.05 else "better" if ratio < 1 / 1.05 else "same"


GATE_RULES = {"U test, p < 0.05": by_u_test, "one run, 5 %": by_one_run}


def by_previous_point(values):
    """Nights whose value is 10 % above the night before (github-action-benchmark at 110 %)."""
    return [i for i in range(40, len(values)) if values[i] > 1.1 * values[i - 1]]


def by_mean_and_sd(values):
    """Nights beyond three standard deviations from the mean of the 30 nights before."""
    found = []
    for i in range(40, len(values)):
        before = values[i - 30 : i]
        if abs(values[i] - before.mean()) > 3 * before.std(ddof=1):
            found.append(i)
    return found


HISTORY_RULES = {"previous night +10 %": by_previous_point, "mean +/- 3 SD": by_mean_and_sd}
