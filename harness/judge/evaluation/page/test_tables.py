"""Results that have figures by kind, by seed and of other generators show them; earlier ones stay
as they are. The golden page is of a small result: two seeds, two kinds of machines, one generator;
NSOP_UPDATE_GOLDEN=1 rewrites it: look at the diff."""

import copy
import os
from pathlib import Path

import pytest

from .. import __main__ as evaluation
from .. import binomial, files
from . import live_targets, render, tables, targets

TESTDATA = Path(__file__).parent / "testdata"
PLOTS = {"power": "power.svg", "alarms": "alarms.svg", "live": "live.svg"}


def small():
    return evaluation.read(TESTDATA / "small.json")


def earlier():
    """What an earlier version measured, and said in its headline."""
    return evaluation.read(TESTDATA / "earlier.json")


def stored():
    return evaluation.read(files.ROOT / "reports/generated/judge.json")


def test_the_page_of_a_small_result_is_the_golden_one():
    page, golden = render.markdown(small(), PLOTS), TESTDATA / "small.md"
    if os.environ.get("NSOP_UPDATE_GOLDEN"):
        golden.write_text(page)
    assert page == golden.read_text()


def test_no_table_has_more_than_eight_columns():
    lines = [s for s in render.markdown(small(), PLOTS).splitlines() if s.startswith("|")]
    assert lines and max(line.count("|") - 1 for line in lines) <= 8


def test_every_operating_point_has_a_table_of_its_own():
    page = render.markdown(small(), PLOTS)
    for name in (
        "new levels",
        "newest night alone",
        "suspects with the newest night",
        "confirmed alerts",
    ):
        assert page.count(f"**By kind of machine: {name}.**") == 1
        assert page.count(f"**By generator: {name}**") == 1


@pytest.mark.slow
def test_earlier_results_have_no_empty_tables():
    page = render.markdown(earlier(), PLOTS)
    for absent in ("By kind of machine", "another making", "public history", "| Rule | Same"):
        assert absent not in page
    assert "False verdicts by kind of machine: quiet 0 of" in page
    assert "| Correlation of neighbouring rounds | Wrong, one session |\n" in page


def test_a_rate_has_its_interval_and_what_it_means_for_a_suite():
    scored = {
        "false": 5,
        "nights": 1000,
        "false_per_100": 0.5,
        "interval": {"low": 0.25, "high": 1.0, "at_most": 0.9},
        "effects": {},
    }
    assert tables.rate(scored) == "0.50 [0.25, 1.00] (5 in 1,000)"
    assert tables.of_suite(scored) == "0.36 [0.18, 0.72]"
    del scored["interval"]
    assert tables.rate(scored) == "0.50 (5 in 1,000)"
    assert tables.history_row("r", scored) == ["r", "0.50 (5 in 1,000)", "-", "-", "-", "-"]


def test_a_delay_has_its_interval():
    one = {"steps": 10, "found_percent": 80.0, "median_delay_nights": 5.0}
    low, high = (f"{100 * bound:.1f}" for bound in binomial.interval(8, 10))
    assert tables.found_cell(one) == f"80.0 % [{low}, {high}], 5 n."
    one["delay_interval"] = [4, 9]
    assert tables.found_cell(one) == f"80.0 % [{low}, {high}], 5 n. [4, 9]"
    one.update(found_percent=0.0, median_delay_nights=None, delay_interval=None)
    assert tables.found_cell(one).startswith("0.0 % [0.0, ")


def test_drawn_and_live_shares_of_open_rows_stand_side_by_side():
    live = {"nulls": {"inconclusive": 10, "judged": 20, "quiet_inconclusive": 0, "quiet": 5}}
    rows = list(tables.open_rows(small()["gate"], live))
    assert [row[0].split(",")[0] for row in rows] == ["drawn", "on a machine", "on a machine"]
    assert rows[1][1] == tables.share(10, 20) and rows[2][1] == tables.share(0, 5)
    assert len(list(tables.open_rows(small()["gate"], None))) == 1
    assert list(tables.open_rows(earlier()["gate"], live)) == []


def said_of(result):
    return {row[0]: row[2:] for row in targets.rows(result)}


def test_what_was_said_of_an_earlier_result_stays():
    result = earlier()
    assert result["schema"] == "nsop.judge/1"
    assert targets.headline(targets.rows(result)) == result["headline"]


ESTIMATE = "met by the estimate, not shown by so few"
NEVER = "Live, +5 %: called the same, where the true change is 4 % or more"


def test_later_results_are_met_only_where_the_interval_is():
    later = {**earlier(), "schema": "nsop.judge/2"}
    effects = later["history"]["suspects"]["effects"]["10"]
    effects["delay_interval"] = [1, 3]
    said = said_of(later)
    delay = "History: median delay at +10 %, suspects with the newest night"
    assert said[delay] == ["1 [1, 3]", ESTIMATE]
    assert said[NEVER][1] == ESTIMATE
    assert said["Live, itself: wrong verdicts"][1] == ESTIMATE
    effects["delay_interval"] = [1, 2]
    assert said_of(later)[delay][1] == "met"
    effects.update(median_delay_nights=None, delay_interval=None)
    assert said_of(later)[delay] == ["none found", "**missed**"]


def test_a_bound_by_seeds_decides_where_it_is_kept():
    later = small()
    name = "History: false per 100 nights, confirmed alerts"
    scored = later["history"]["confirmed"]
    scored.update(false=1, nights=1_000_000, false_per_100=0.0001)
    scored["interval"] = {"low": 0.0, "high": 0.2, "at_most": 0.1}
    assert said_of(later)[name][1] == ESTIMATE
    scored["interval"]["at_most"] = 0.04
    assert said_of(later)[name][1] == "met"


@pytest.mark.parametrize(
    "today, before, said",
    [(0, 0, "met"), (0, 3, "met"), (2, 20, "met"), (8, 10, ESTIMATE), (10, 8, "**missed**")],
)
def test_no_more_open_rows_is_a_sign_test(today, before, said):
    later = copy.deepcopy(small())
    one = next(x for x in later["distributions"] if x["head"] == "unchanged")
    one.update(open_today_alone=today, open_by_fastest_alone=before)
    one["inconclusive"]["hits"], one["inconclusive_by_fastest"]["hits"] = 20 + today, 20 + before
    found = said_of(later)["Gates: unchanged, inconclusive, against the fastest repetition alone"]
    assert found[1] == said


def test_live_shares_are_judged_by_their_interval():
    assert live_targets.seldom(0, 5, 0.3, False) is True
    assert live_targets.seldom(0, 5, 0.3, True) == ESTIMATE
    assert live_targets.seldom(0, 50, 0.3, True) is True
    assert live_targets.often(24, 24, 0.9, False) is True
    assert live_targets.often(24, 24, 0.9, True) == ESTIMATE
    assert live_targets.often(60, 60, 0.9, True) is True
    assert live_targets.never(0, True) == ESTIMATE and live_targets.never(1, True) is False
