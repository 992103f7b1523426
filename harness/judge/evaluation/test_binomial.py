"""Intervals of shares against SciPy's."""

import pytest
from hypothesis import given, settings, strategies
from scipy import stats

from . import binomial


@settings(deadline=None, max_examples=50)
@given(strategies.integers(0, 3000), strategies.integers(0, 3000))
def test_intervals_are_those_of_scipy(a, b):
    hits, count = min(a, b), max(a, b, 1)
    expected = stats.binomtest(hits, count).proportion_ci(0.95, "exact")
    assert binomial.interval(hits, count) == pytest.approx((expected.low, expected.high), abs=1e-7)


def test_no_case_tells_nothing():
    assert binomial.interval(0, 0) == (0, 1)
    assert (binomial.at_least(0, 0), binomial.at_most(0, 0)) == (0, 1)


def test_none_of_440_does_not_show_a_fifth_of_a_percent():
    """The rule of three: about 3 / n."""
    assert binomial.at_most(0, 440) == pytest.approx(1 - 0.05 ** (1 / 440))
    assert binomial.at_most(0, 440) > 0.002 > binomial.at_most(0, 2200)


def test_more_hits_than_cases_is_an_error():
    with pytest.raises(ValueError):
        binomial.interval(3, 2)
