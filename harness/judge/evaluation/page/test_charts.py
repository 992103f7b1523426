"""What the site draws of the scores: counted shares with exact intervals, live beside drawn."""

import math

from scipy import stats

from . import charts
from .test_tables import earlier, small, stored


def by_title(result):
    return {chart["title"]: chart for chart in charts.of(result)}


def test_shares_and_intervals_are_those_of_the_counts():
    gate = by_title(small())["What a gate finds"]
    first = next(one for one in gate["series"] if one["label"] == "drawn: nsop, one session")
    at = {x: rest for x, *rest in first["points"]}
    share, low, high, text = at[2]
    known = stats.binomtest(696, 880).proportion_ci(0.95, method="exact")
    assert math.isclose(share, 100 * 696 / 880, abs_tol=1e-3)
    assert math.isclose(low, 100 * known.low, abs_tol=1e-3)
    assert math.isclose(high, 100 * known.high, abs_tol=1e-3)
    assert text == f"+2 %: {share:.1f} % [{low:.1f}, {high:.1f}], 696 of 880"
    others = next(one for one in gate["series"] if one["label"].startswith("drawn: U test"))
    assert others["points"][0][4].endswith(", 61 of 880")  # 25 slower and 36 faster, of none


def test_gates_on_a_machine_stand_beside_drawn_ones():
    shown = by_title(stored())
    labels = [one["label"] for one in shown["What a gate finds"]["series"]]
    assert labels[-1] == "on a machine: nsop, confirmed" and len(labels) == 6
    rows = stored()["live"]["nulls"]["rows"]
    [nulls] = shown["What stays open on a machine where nothing changed"]["series"]
    assert len(nulls["points"]) == len(rows)


def test_every_point_lies_within_its_interval_and_has_a_tick_near():
    for result in (small(), stored(), earlier()):
        for chart in charts.of(result):
            for one in chart["series"]:
                assert one["points"]
                for x, share, low, high, text in one["points"]:
                    assert 0 <= low <= share <= high <= 100 and text
                    assert x <= 1.3 * max(value for value, _ in chart["x_ticks"]) + 1
