"""Rows at the margin are drawn as they say."""

import numpy as np
import pytest
from scipy import stats

from . import margin_score
from .comparators import widened


@pytest.mark.parametrize("correlation", margin_score.CORRELATIONS)
def test_rounds_lie_at_the_margin_and_are_correlated_as_told(correlation):
    logs = margin_score.drawn(1, 4000, correlation)
    assert logs.mean() == pytest.approx(np.log1p(margin_score.WORTH), abs=1e-3)
    assert logs.std() == pytest.approx(margin_score.SD, rel=0.02)
    off = logs - np.log1p(margin_score.WORTH)
    found = (off[:, 1:] * off[:, :-1]).mean() / off.var()
    assert found == pytest.approx(correlation, abs=0.02)


def test_wrong_rows_are_counted_over_all_seeds(tmp_path):
    few = margin_score.line(tmp_path, [1, 2], 200, 0.0)["wrong"]
    many = margin_score.line(tmp_path, [1, 2], 200, 0.6)["wrong"]
    assert few["count"] == many["count"] == 400
    assert few["hits"] < 16 < many["hits"]


def test_what_did_not_change_has_the_smaller_noise():
    nulls = margin_score.unchanged(margin_score.drawn(1, 4000, 0.4))
    assert nulls.mean() == pytest.approx(0, abs=1e-3)
    assert nulls.std() == pytest.approx(margin_score.NULL_SD, rel=0.02)


NAMES = {
    widened.OPEN: "inconclusive",
    widened.WORSE: "worse",
    widened.BETTER: "better",
    widened.IS_SAME: "same",
}


@pytest.mark.parametrize("sd, change", [(0.014, 0), (0.02, 0), (0.03, 0.03), (0.03, -0.05)])
def test_without_widening_it_is_the_rule_of_nsop(tmp_path, sd, change):
    rng = np.random.default_rng(5)
    logs = change + sd * rng.standard_t(4, (300, margin_score.ROUNDS))
    said = [NAMES[one] for one in widened.verdicts(logs, False)]
    assert said == margin_score.verdicts(tmp_path, logs, "--alone")
    assert len(set(said)) > 1


def test_rows_of_a_gate_tell_each_other_their_noise(tmp_path):
    logs = 0.018 * np.random.default_rng(5).standard_normal((300, margin_score.ROUNDS))
    together = margin_score.verdicts(tmp_path, logs)
    alone = margin_score.verdicts(tmp_path, logs, "--alone")
    assert together.count("inconclusive") < alone.count("inconclusive")


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_the_middle_is_what_scipy_says(share):
    rounds = np.random.default_rng(6).standard_t(3, (50, 20))
    mean, error, df = widened.middle(rounds, share)
    assert mean == pytest.approx(stats.trim_mean(rounds, share, axis=1))
    for row, one_error in zip(rounds, error):
        other = stats.ttest_ind(row, row + 1, trim=share, equal_var=False).statistic
        assert abs(other) == pytest.approx(1 / (np.sqrt(2) * one_error))
    assert df == 20 - 2 * int(20 * share) - 1


def test_correlated_rounds_are_widened_and_few_are_not():
    rng = np.random.default_rng(7)
    rounds = np.cumsum(rng.normal(size=(200, 20)), axis=1)
    assert widened.widening(rounds[:, :9], 0.1) == 1
    assert np.median(widened.widening(rounds, 0.2)) > 1.5
    found = widened.neighbour_correlation(rounds, 0)[0]
    off = rounds[0] - rounds[0].mean()
    assert found == pytest.approx((off[1:] * off[:-1]).sum() / (off**2).sum())
    assert widened.neighbour_correlation(np.ones((1, 20)), 0.2) == [0]


def test_widening_leaves_more_rows_open(tmp_path):
    line = margin_score.line(tmp_path, [1], 300, 0.6)
    assert line["open_widened"]["hits"] > line["open"]["hits"] > 0
    assert line["wrong_widened"]["hits"] < line["wrong"]["hits"]
