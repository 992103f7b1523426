"""Each generator has the property that it is named after, and steps are where they say."""

import ast
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from . import GENERATORS, bursts, heavy_tails, process_modes, series


def test_they_share_nothing_with_the_other_generator():
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert "noise" not in [node.module, *(name.name for name in node.names)], path.name
                assert node.level <= 1, f"{path.name} takes from outside of its room"


@pytest.mark.parametrize("name", GENERATORS)
def test_a_key_always_draws_the_same_and_another_one_does_not(name):
    def drawn(*key):
        return GENERATORS[name].gate(series.stream(*key), 0, 20, 5)

    assert np.array_equal(drawn(1, "a"), drawn(1, "a"))
    assert not np.array_equal(drawn(1, "a"), drawn(1, "b"))
    assert not np.array_equal(drawn("a", 1), drawn(1, "a"))
    assert drawn(1).shape == (20, 2, 5) and (drawn(1) > 0).all()


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("percent", [-5, 0, 2, 10])
def test_the_head_is_slower_by_the_effect(name, percent):
    """The same stream with and without an effect differs by it alone."""
    with_effect, without = (
        GENERATORS[name].gate(series.stream("e", name), p, 30, 4) for p in (percent, 0)
    )
    assert np.allclose(with_effect[:, 0], without[:, 0])
    assert np.allclose(with_effect[:, 1], without[:, 1] * (1 + percent / 100))


@pytest.mark.parametrize("name", GENERATORS)
def test_no_arm_is_slower_where_nothing_changed(name):
    ratios = [
        np.log(np.divide(*np.median(GENERATORS[name].gate(series.stream(k), 0, 20, 5), 2).T)).mean()
        for k in range(200)
    ]
    assert abs(stats.ttest_1samp(ratios, 0).statistic) < 4


@pytest.mark.parametrize("name", GENERATORS)
def test_a_series_changes_where_it_says(name):
    seen = []
    for k in range(40):
        one = GENERATORS[name].nights(series.stream("s", k), 10, 160, 5)
        [at] = one.steps
        assert 40 <= at < 120 and len(one.hosts) == 160
        assert np.allclose(one.level, np.where(np.arange(160) < at, 0, np.log(1.1)))
        value = np.median(one.times, axis=1)
        seen.append(np.median(value[at : at + 40]) / np.median(value[at - 40 : at]))
    assert np.median(seen) == pytest.approx(1.1, abs=0.005)
    assert GENERATORS[name].nights(series.stream("s"), 0, 160, 5).steps == []


def test_a_process_keeps_the_mode_that_it_draws():
    one = process_modes.Row(np.array([1.0, 1.05, 1.12]), np.array([0.5, 0.3, 0.2]), 0.002, 0.003)
    times = process_modes.processes(series.stream("modes"), one, 6000, 8)
    nearest = np.abs(times[:, :, None] - one.factors).argmin(axis=2)
    assert (nearest == nearest[:, :1]).mean() > 0.999  # all repetitions are of one mode
    counts = np.bincount(nearest[:, 0], minlength=3)
    assert stats.chisquare(counts, one.shares * 6000).pvalue > 1e-4
    within = times[nearest[:, 0] == 0]
    assert np.std(within.mean(axis=1)) == pytest.approx(np.hypot(0.002, 0.003 / 8**0.5), rel=0.1)
    assert np.std(within / within.mean(axis=1, keepdims=True)) == pytest.approx(0.003, rel=0.1)


def test_rows_have_modes_some_per_cent_apart():
    rows = [process_modes.row(series.stream("rows", k)) for k in range(100)]
    assert {len(one.factors) for one in rows} == {2, 3, 4}
    for one in rows:
        assert one.factors[0] == 1 and one.shares.sum() == pytest.approx(1)
        gaps = np.diff(np.log(one.factors))
        assert (gaps > 0.009).all() and (gaps < 0.06).all()


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_speeds_are_an_autoregression(correlation):
    one = bursts.Machine(correlation, 0.01, 0.02, 0.3, 0.0)
    logs = bursts.speeds(series.stream("ar", correlation), one, 40000)
    assert np.std(logs) == pytest.approx(0.01, rel=0.06)
    for lag in (1, 2, 3):
        seen = np.corrcoef(logs[:-lag], logs[lag:])[0, 1]
        assert seen == pytest.approx(correlation**lag, abs=0.04)


def test_bursts_last_as_long_as_their_ends_are_rare():
    one = bursts.Machine(0.5, 0.01, 0.02, 0.25, 0.0)
    burst = bursts.disturbed(series.stream("bursts"), one, 200000)
    assert (burst > 0).mean() == pytest.approx(0.02 / 0.27, rel=0.06)
    lengths = np.bincount(burst)[1:]
    assert lengths.mean() == pytest.approx(4, rel=0.05)
    assert np.mean(lengths == 1) == pytest.approx(0.25, abs=0.02)  # geometric
    assert np.mean(lengths > 8) == pytest.approx(0.75**8, abs=0.02)


def test_a_burst_slows_all_that_it_holds_alike():
    one = bursts.Machine(0.0, 0.0, 0.1, 0.3, 0.0)
    times = bursts.measurements(series.stream("slow"), one, 2000, 3)
    slow = times[:, 0] > 1.001
    assert np.array_equal(slow, bursts.disturbed(after_speeds(one), one, 2000) > 0)
    assert times[slow].min() >= 1 / 0.97 and times.max() <= 1 / 0.7
    assert np.allclose(times, times[:, :1])


def after_speeds(one):
    rng = series.stream("slow")
    bursts.speeds(rng, one, 2000)
    return rng


def hill(values, top):
    """The estimate of a Pareto index from the largest values (Hill 1975)."""
    largest = np.sort(values)[::-1][: top + 1]
    return 1 / np.log(largest[:-1] / largest[-1]).mean()


@pytest.mark.parametrize("index", [1.3, 2.5])
def test_delays_have_the_tail_that_they_say(index):
    one = heavy_tails.Tails(3.0, 0.0, index, 0.01)
    delays = heavy_tails.processes(series.stream("pareto", index), one, 100000, 2).ravel() - 1
    assert hill(delays, 1000) == pytest.approx(index, rel=0.12)
    assert stats.kstest(delays[:20000] / 0.01, stats.lomax(index).cdf).pvalue > 1e-4


def test_processes_differ_by_students_t():
    one = heavy_tails.Tails(2.5, 0.004, 2.0, 0.0)
    logs = np.log(heavy_tails.processes(series.stream("t"), one, 20000, 1)[:, 0]) / 0.004
    assert stats.kstest(logs, stats.t(2.5).cdf).pvalue > 1e-4
    assert stats.kstest(logs / np.std(logs), stats.norm.cdf).pvalue < 1e-10
