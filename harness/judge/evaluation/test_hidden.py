"""Histories of code that is slower now and then are so as they say, and are told."""

import numpy as np
import pytest

from . import distribution_score, hidden_score
from .page import render

HALF = "half of the repetitions twice as slow"


def test_the_code_is_slower_from_the_night_on_that_is_told():
    times, change = hidden_score.drawn("1/quiet/0", HALF)
    assert times.shape == (150, 10, 10)
    assert hidden_score.EARLIEST <= change < hidden_score.LATEST
    slow = times / np.median(times[:change]) > np.sqrt(2)
    assert not slow[:change].any() and slow[change:].mean() == pytest.approx(0.5, abs=0.03)


def test_what_the_fastest_hide_is_told_by_the_mean_over_them(tmp_path):
    names = [f"1/{profile}/{copy}" for profile in ("quiet", "lab") for copy in range(5)]
    one = hidden_score.line(tmp_path, names, HALF)
    assert one["by_fastest"]["hits"] == 0 and one["found"]["hits"] == 10 and one["false"] == 0
    assert 4 <= one["median_delay_nights"] <= 7, "a level has four nights"
    same = hidden_score.line(tmp_path, names, distribution_score.UNCHANGED)
    assert same["false"] == 0 and same["nights"] == 10 * 110
    assert render.hidden_row(one)[1:3] == ["0.0 % [0.0, 30.8]", "100.0 % [69.2, 100.0]"]
    assert render.hidden_row(same)[1:] == ["-", "-", "-", "0.00 [0.00, 0.33] (0 in 1,100)"]


def test_a_rise_is_a_hit_only_near_the_change_and_in_time():
    changes = {"a": 60, "b": 60, "c": 60, "d": 60}
    told = {"a": [(62, 66)], "b": [(80, 84)], "c": [(60, 91)], "d": []}
    assert hidden_score.hits(told, changes) == {"a": 7}
