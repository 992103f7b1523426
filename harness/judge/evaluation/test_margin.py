"""Rows at the margin are drawn as they say."""

import numpy as np
import pytest

from . import margin_score


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
