"""The rules of others on pairs of builds, against hand-counted and SciPy's p-values."""

import numpy as np
import pytest
from scipy import stats

from . import hand_made, u_test


def test_an_exact_p_value_is_counted_out():
    """All of one side below the other: 2 of the 20 orders of 3 + 3 values are as extreme."""
    assert u_test.p_value([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) == pytest.approx(2 / 20)
    assert u_test.p_value([1.0, 2, 3, 4], [5.0, 6, 7, 8]) == pytest.approx(2 / 70)


def test_ties_and_many_values_take_the_normal_approximation():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=60), rng.normal(0.3, size=60)
    wanted = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
    assert u_test.p_value(a, b) == pytest.approx(wanted)
    tied = stats.mannwhitneyu([1, 2, 2, 3], [2, 3, 4, 5], method="asymptotic").pvalue
    assert u_test.p_value([1.0, 2, 2, 3], [2.0, 3, 4, 5]) == pytest.approx(tied)


def arms(base, head):
    return np.stack([base, head], axis=1)[:, :, None]


def test_verdicts_name_the_direction_of_the_medians():
    base = np.arange(20.0) + 100
    assert u_test.verdict(arms(base, base + 50)) == "worse"
    assert u_test.verdict(arms(base + 50, base)) == "better"
    assert u_test.verdict(arms(base, base[::-1] + 0.5)) == "same"


def test_the_value_of_a_round_is_the_mean_of_its_repetitions():
    times = np.ones((20, 2, 2)) + np.arange(20)[:, None, None] / 1000
    times[:, 1, 1] = 2  # the fastest repetition is as before
    assert u_test.verdict(times) == "worse"


@pytest.mark.parametrize("head, said", [(1.051, "worse"), (1.049, "same"), (0.95, "better")])
def test_one_run_of_each_is_compared_with_a_threshold(head, said):
    assert hand_made.by_one_run(np.array([[[1.0], [head]], [[1.0], [9.0]]])) == said
