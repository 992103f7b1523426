"""The change-point rules of others, against what their own tests expect, worked examples, and
slow restatements of their definitions."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies
from scipy import stats

from . import CHANGE_POINT_RULES, POINT_RULES, e_divisive, replay, step_fit, t_test_window

DATA = Path(__file__).parents[1] / "recordings" / "tigerbeetle.csv"


def tigerbeetle():
    with open(DATA) as lines:
        return np.array([float(row["ns_per_op"]) for row in csv.DictReader(lines)])


def stepped(n, at, factor, sd=0.002, seed=1):
    values = 100 * np.exp(sd * np.random.default_rng(seed).standard_normal(n))
    values[at:] *= factor
    return values


# What Apache Otava's tests (tests/tigerbeetle_test.py) expect of this series, windows of 30 points.
@pytest.mark.parametrize(
    "most_p, least_magnitude, expected",
    [
        (0.00001, 0.0, [71, 95, 131, 192, 212]),
        (0.0001, 0.0, [71, 95, 117, 131, 142, 148, 192, 212]),
        (0.001, 0.0, [15, 61, 71, 95, 117, 131, 142, 148, 192, 212, 260]),
        (0.01, 0.0, [15, 26, 61, 71, 95, 117, 131, 142, 148, 165, 169, 192, 212, 260]),
        (0.01, 0.05, [15, 71]),
        (0.2, 0.05, [10, 11, 15, 71]),
    ],
)
def test_e_divisive_finds_what_otava_finds(most_p, least_magnitude, expected):
    found = e_divisive.changes(
        tigerbeetle(), window=30, most_p=most_p, least_magnitude=least_magnitude
    )
    assert found == expected


def slow_q(left, right):
    """Matteson & James 2014, equations 5 to 7, term by term."""
    n, m = len(left), len(right)
    between = 2 * sum(abs(a - b) for a in left for b in right) / (n * m)
    within = [
        sum(abs(a - b) for a, b in itertools.combinations(side, 2)) / (k * (k - 1) / 2)
        if k > 1
        else 0
        for side, k in ((left, n), (right, m))
    ]
    return n * m / (n + m) * (between - sum(within))


@settings(deadline=None, max_examples=60)
@given(strategies.lists(strategies.integers(0, 50), min_size=2, max_size=12))
def test_the_best_split_has_the_largest_divergence_of_all(values):
    q, place = e_divisive.best_split(np.array(values, float))
    every = {
        (at, end): slow_q(values[:at], values[at:end])
        for end in range(2, len(values) + 1)
        for at in range(1, end)
    }
    assert q == pytest.approx(max(every.values()), abs=1e-9)
    assert max(v for (at, _), v in every.items() if at == place) == pytest.approx(q, abs=1e-9)


def test_the_t_test_is_scipys_with_deviations_that_divide_by_n():
    left, right = np.array([1.0, 2, 4, 3]), np.array([3.0, 5, 4])
    wanted = stats.ttest_ind_from_stats(
        left.mean(), left.std(), 4, right.mean(), right.std(), 3
    ).pvalue
    assert e_divisive.p_value(left, right) == pytest.approx(wanted)
    assert e_divisive.p_value(left[:1], right[:1]) == 1
    assert e_divisive.p_value(np.ones(3), np.ones(3)) == 1
    assert e_divisive.p_value(np.ones(3), 2 * np.ones(3)) == 0


def test_weighted_means_fall_off_with_distance():
    """Weights 3, 2, 1 of 1, 2, 4: mean 11 / 6, and the plain squares around it."""
    mean, variance = t_test_window.weighted([1, 2, 4])
    assert mean == pytest.approx(11 / 6)
    assert variance == pytest.approx(((5 / 6) ** 2 + (1 / 6) ** 2 + (13 / 6) ** 2) / 2)
    assert t_test_window.t_value([1, 1], [1, 1]) == 0
    assert t_test_window.t_value([1, 1], [2, 2]) == np.inf


def test_where_all_weights_are_one_the_t_is_welchs(monkeypatch):
    monkeypatch.setattr(t_test_window, "weighted", lambda v: (np.mean(v), np.var(v, ddof=1)))
    before, after = [1.0, 3, 2, 5, 4], [4.0, 6, 5, 9]
    wanted = abs(stats.ttest_ind(before, after, equal_var=False).statistic)
    assert t_test_window.t_value(before, after) == pytest.approx(wanted)


def perfherder(values):
    """All points from the start, as each run of Perfherder does: first every t, then the peaks."""
    n, quiet = len(values), 0
    t, before, after = [0.0] * n, [None] * n, [None] * n
    for i in range(1, n):
        back = min(max(quiet, 12), 24, i)
        before[i], after[i] = values[i - back : i], values[i : i + 12]
        t[i] = t_test_window.t_value(list(before[i])[::-1], list(after[i]))
        quiet = 0 if t[i] > 7 else quiet + 1
    return [
        i
        for i in range(12, n - 11)
        if t[i] > 7
        and t[i - 1] <= t[i] >= (t[i + 1] if i + 1 < n else 0)
        and abs(np.mean(after[i]) / np.mean(before[i]) - 1) >= 0.02
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_night_of_the_t_test_window_is_a_run_of_perfherder(seed):
    values = stepped(120, 50 + seed, 1.05, sd=0.01, seed=seed)
    values[90:] *= 0.9
    for night, shown in t_test_window.nightly(values):
        assert shown == perfherder(values[: night + 1]), night
    assert shown


def test_the_t_test_window_needs_twelve_nights_after_a_change():
    nights = {}
    for night, shown in t_test_window.nightly(stepped(100, 60, 1.1)):
        for place in shown:
            nights.setdefault(place, night)
    assert nights == {60: 71}


def test_deviations_are_those_around_the_median():
    values = np.random.default_rng(3).integers(0, 9, 30).astype(float)
    table = step_fit.Deviations(values)
    for begin, end in itertools.combinations(range(31), 2):
        part = values[begin:end]
        assert table.median[begin, end] == np.median(part)
        assert table.deviation[begin, end] == pytest.approx(np.abs(part - np.median(part)).sum())


def every_fit(n):
    for cuts in itertools.chain.from_iterable(
        itertools.combinations(range(1, n), k) for k in range(n)
    ):
        yield (*cuts, n)


@settings(deadline=None, max_examples=30)
@given(
    strategies.lists(strategies.integers(0, 30), min_size=1, max_size=9),
    strategies.sampled_from([0.3, 1.0, 3.0, 10.0]),
)
def test_no_fit_is_cheaper_at_its_price(values, gamma):
    table = step_fit.Deviations(np.array(values, float))
    begins = step_fit.fits(table, np.array([gamma]))[0]

    def cost(ends):
        pairs = zip((0, *ends[:-1]), ends)
        return gamma * len(ends) + sum(table.deviation[pair] for pair in pairs)

    best = min(map(cost, every_fit(len(values))))
    assert cost(step_fit.ends_of(begins, len(values))) == pytest.approx(best)


@settings(deadline=None, max_examples=50)
@given(strategies.lists(strategies.floats(-5, 5), min_size=2, max_size=20))
def test_no_correlation_fits_the_residuals_better(values):
    e = np.array(values)
    at = [abs(e[0]) + np.abs(e[1:] - rho * e[:-1]).sum() for rho in np.linspace(-1, 1, 401)]
    assert step_fit.least_deviation(e) <= min(at) + 1e-9


def rises(levels, sizes):
    """Of a fit that is given: each level with a deviation of nothing."""
    ends = tuple(np.cumsum(sizes))
    table = step_fit.Deviations(np.repeat(np.array(levels, float), sizes))
    return step_fit.regressions(table, ends)


@pytest.mark.parametrize(
    "levels, sizes, expected",
    [
        ([10, 12], [10, 10], [10]),  # a rise that stands
        ([10, 10.4], [10, 10], []),  # of 4 %
        ([12, 10], [10, 10], []),  # a fall
        ([10, 12, 10], [10, 10, 10], []),  # taken back
        ([10, 12, 11], [10, 10, 10], [10]),  # taken back in part
        ([10, 12, 14], [10, 10, 10], [10, 20]),
        ([10, 9, 12], [10, 1, 10], [11]),  # from the best level
        ([12, 10, 12], [10, 1, 10], []),  # one fast point is no level
        ([12, 10, 12], [10, 2, 10], [12]),
    ],
)
def test_rises_that_stand_at_the_end_are_regressions(levels, sizes, expected):
    assert rises(levels, sizes) == expected


def test_the_step_fit_tells_rises_alone():
    assert step_fit.changes(stepped(100, 60, 1.1)) == [60]
    assert step_fit.changes(stepped(100, 60, 0.9)) == []
    assert step_fit.changes(np.full(50, 3.0)) == []


@pytest.mark.parametrize("name", CHANGE_POINT_RULES)
def test_a_night_knows_nothing_of_later_ones(name):
    nightly = CHANGE_POINT_RULES[name]
    values = stepped(90, 45, 1.08, sd=0.01)
    after = {night: shown for night, shown in nightly(values)}
    alone = list(nightly(values[:70]))[-1]
    if name.startswith("step fit"):  # the grid of prices is of the whole series
        assert alone == (69, [45]) and after[69] == [45]
    else:
        assert alone == (69, after[69])
    assert [place for place in after[89] if abs(place - 45) <= 2]
    assert not any(place > night for night, shown in after.items() for place in shown)


def test_hosts_are_series_of_their_own():
    assert list(replay.of_segments("aaabb")) == [(0, 3), (3, 5)]
    assert list(replay.of_segments("a")) == [(0, 1)]
    values, hosts = stepped(120, 60, 1.2), ["a"] * 60 + ["b"] * 60
    for nightly in CHANGE_POINT_RULES.values():
        assert replay.told(nightly, values, hosts, 40) == []


def test_what_is_told_is_told_once_and_not_too_early():
    def nightly(values):
        yield 0, [0]
        for night in range(1, len(values)):
            yield night, [night // 4]

    told = replay.told(nightly, np.ones(60), ["h"] * 60, 20)
    assert told == [(5, 20), (11, 44)]


def test_rules_of_the_newest_night():
    values = 100.0 + np.arange(100) % 2
    values[70] = 120
    previous, three = (POINT_RULES[k] for k in ("previous night +10 %", "mean +/- 3 SD"))
    assert replay.told(previous, values, ["h"] * 100, 40) == [(70, 70)]
    assert replay.told(three, values, ["h"] * 100, 40)[0] == (70, 70)
