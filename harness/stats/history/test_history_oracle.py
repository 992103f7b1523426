"""NumPy and SciPy are the oracle of the statistics of histories, and of means over rows."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

EXAMPLES = settings(max_examples=150, deadline=None, derandomize=True)
VALUES = st.floats(500, 1500)


def noise_of(x):
    """The MAD of first differences as a standard deviation; wider where many of them are large."""
    steps = np.diff(x)
    by_steps = stats.median_abs_deviation(steps, scale="normal") / math.sqrt(2)
    by_values = stats.median_abs_deviation(x, scale="normal")
    s = max(min(by_steps, by_values) if by_steps > 0 else by_values, 5e-4)
    if len(steps) < 8:
        return s
    wide = np.quantile(abs(steps), 0.72) / stats.norm.ppf(0.86) / math.sqrt(2)
    return max(s, wide) if wide > 1.6 * s else s


def step_between(before, after, s):
    """The change of level, and its standard error, widened for the correlation of neighbours."""
    residuals = np.concatenate([before - np.median(before), after - np.median(after)])
    sizes = abs(residuals)
    sd = max(
        stats.norm.ppf(0.75) ** -1 * np.median(sizes),
        0.9 * np.quantile(sizes, 0.8) / stats.norm.ppf(0.9),
        0.7 * s,
    )
    residuals = np.clip(residuals, -3 * sd, 3 * sd)
    rho = min(0.9, max(0.0, stats.pearsonr(residuals[:-1], residuals[1:]).statistic))
    error = math.sqrt(math.pi / 2) * sd * math.sqrt(1 / len(before) + 1 / len(after))
    return np.median(after) - np.median(before), error * math.sqrt((1 + rho) / (1 - rho))


@st.composite
def one_step(draw):
    """(nights, first night of the new level, ratio): normal or heavy-tailed noise around two
    levels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    nights, ratio = draw(st.integers(30, 150)), draw(st.sampled_from([0.9, 1.05, 1.1, 1.5]))
    at = draw(st.integers(10, nights - 10))
    sd = draw(st.sampled_from([0.001, 0.004, 0.01]))
    noise = sd * (rng.normal(size=nights) if draw(st.booleans()) else rng.standard_t(3, nights))
    level = np.where(np.arange(nights) < at, 0, math.log(ratio))
    return 1000 * np.exp(level + noise), at, ratio


@EXAMPLES
@given(case=one_step())
def test_a_change_of_level_and_its_interval(ask, case):
    values, at, ratio = case
    found = ask("change_points", values=values.tolist())
    assume(len(found) == 1)
    [change] = found
    assert abs(change["index"] - at) <= 3
    x = np.log(values / np.median(values))
    size, error = step_between(x[: change["index"]], x[change["index"] :], noise_of(x))
    half = 3.3 * error
    assert math.log(change["ratio"]) == pytest.approx(size, abs=1e-12)
    assert math.log(change["hi"]) - size == pytest.approx(half, rel=1e-3)
    assert size - math.log(change["lo"]) == pytest.approx(half, rel=1e-3)
    assert stats.norm.cdf(3.3) - stats.norm.cdf(-3.3) == pytest.approx(0.999, abs=1e-4)


@EXAMPLES
@given(
    values=st.lists(st.floats(990, 1010), min_size=13, max_size=80),
    newest=st.floats(900, 1200),
)
def test_a_newest_night_that_stands_out(ask, values, newest):
    x = np.log(np.array([*values, newest]) / np.median([*values, newest]))
    change, noise = x[-1] - np.median(x[-13:-1]), noise_of(x[:-1])
    threshold = max(4 * noise, math.log(1.03))
    assume(abs(abs(change) - threshold) > 1e-3 * threshold)
    answer = ask("trip_ratio", values=[*values, newest])
    if abs(change) < threshold:
        assert answer is None
    else:
        assert answer == pytest.approx(math.exp(change), rel=1e-12)


@EXAMPLES
@given(values=st.lists(VALUES, min_size=16, max_size=60), data=st.data())
def test_creep_since_the_best_level(ask, values, data):
    first = data.draw(st.integers(0, len(values) - 16))
    windows = np.lib.stride_tricks.sliding_window_view(values[first:-8], 8)
    levels = np.median(windows, axis=1)
    ratio = np.median(values[-8:]) / levels.min()
    assume(abs(ratio - 1.05) > 1e-9)
    answer = ask("creep_since_best", values=values, first=first)
    if ratio < 1.05:
        assert answer is None
    else:
        assert answer["ratio"] == pytest.approx(ratio, rel=1e-12)
        assert answer["since"] == first + int(levels.argmin()) + 7


@EXAMPLES
@given(values=st.lists(VALUES, min_size=16, max_size=60), data=st.data())
def test_creep_since_a_release(ask, values, data):
    at = data.draw(st.integers(0, len(values) - 9))
    around = values[max(0, at - 4) : min(len(values) - 8, at + 5)]
    ratio = np.median(values[-8:]) / np.median(around)
    assume(abs(ratio - 1.05) > 1e-9)
    answer = ask("creep_since", values=values, at=at)
    if ratio < 1.05:
        assert answer is None
    else:
        assert answer == {"since": at, "ratio": pytest.approx(ratio, rel=1e-12)}


@EXAMPLES
@given(
    rows=st.lists(st.tuples(*[st.floats(0.1, 10)] * 3).map(sorted), min_size=1, max_size=30),
)
def test_geometric_mean(ask, rows):
    """Of ratios, and of the ends of their intervals: as if all rows erred alike."""
    answer = ask("geometric_mean", rows=[(ratio, lo, hi) for lo, ratio, hi in rows])
    for name, values in zip(("lo", "ratio", "hi"), zip(*rows)):
        assert answer[name] == pytest.approx(stats.gmean(values), rel=1e-12)
