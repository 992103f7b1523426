"""Rules of others see the series that ours sees, and every rate has an interval."""

import numpy as np
import pytest
from scipy import stats

from . import binomial, clusters, compare, gate_score, history_score, recorded_score, sources
from .__main__ import RECORDINGS
from .comparators import CHANGE_POINT_RULES
from .generators import series


def test_names_tell_seed_kind_effect_and_copy():
    rows = list(sources.names(sources.OTHERS, [7], 2, effects=(0.0, -5.0)))
    assert len(rows) == len(sources.OTHERS.profiles) * 2 * 2
    assert rows[0] == ("7/modes of processes/0/0", "modes of processes", 0.0, 0)
    assert rows[-1][0] == "7/heavy tails/-5/1"


@pytest.mark.parametrize("source", [sources.MACHINES, sources.OTHERS])
def test_both_sources_draw_rounds_and_nights(source):
    for profile in source.profiles:
        times = source.rounds(profile, 5.0, 20, 5, "gate", "a", 1)
        assert times.shape == (20, 2, 5)
        assert np.array_equal(times, source.rounds(profile, 5.0, 20, 5, "gate", "a", 1))
        assert not np.array_equal(times, source.rounds(profile, 5.0, 20, 5, "gate", "a", 2))
        one = source.nights(profile, 10.0, 0, 200, 5, "history", "a")
        assert one.times.shape == (200, 5) and len(one.steps) == 1


def stepped(at, nights=120, factor=1.2):
    values = 100 * np.exp(0.002 * np.random.default_rng(at).standard_normal(nights))
    values[at:] *= factor
    level = np.where(np.arange(nights) < at, 0.0, np.log(factor))
    return "kind", 20.0, series.Series(values[:, None], ["h"] * nights, level, [at])


def test_series_of_all_copies_take_turns_by_seed():
    made = {f"{seed}/kind/20/{copy}": None for seed in (1, 2, 3) for copy in range(2)}
    assert list(compare.chosen(made)) == ["1/kind/20/1", "2/kind/20/0", "3/kind/20/1"]


def test_workers_tell_what_the_rules_tell():
    made = {f"1/kind/20/{k}": stepped(60 + k) for k in range(3)}
    told = compare.told_by_fits(made, 40)
    assert set(told) == set(CHANGE_POINT_RULES)
    for rule, nightly in CHANGE_POINT_RULES.items():
        assert told[rule] == compare.told_by(nightly, made, 40)
        assert {a["series_id"] for a in told[rule]} == set(made), rule


def test_others_are_scored_on_the_series_that_ours_is_scored_on():
    made = {f"{seed}/kind/20/{k}": stepped(60 + k) for seed in (1, 2) for k in range(2)}
    alert = {"series_id": "1/kind/20/1", "idx": 61, "night": 64}
    unseen_by_others = {"series_id": "1/kind/20/0", "idx": 60, "night": 64}
    scores = history_score.compared(made, {"levels": [alert, unseen_by_others]})
    assert scores["series"] == 2
    assert scores["ours"]["levels"]["effects"]["20"]["found_percent"] == 50
    assert scores["ours"]["levels"]["nights"] == 2 * 80
    for scored in scores["others"].values():
        assert scored["effects"]["20"]["found_percent"] == 100
        assert scored["nights"] == 2 * 80


def test_the_interval_of_a_rate_is_wider_where_alarms_come_together():
    low, high = binomial.interval(100, 20000)
    even = clusters.rate([(5, 1000)] * 20)  # never narrower than of independent nights
    assert (even["low"], even["high"]) == (100 * low, 100 * high)
    assert even["at_most"] == 100 * binomial.at_most(100, 20000)
    alone = clusters.rate([(100, 1000)] + [(0, 1000)] * 19)
    assert alone["low"] < 100 * low and alone["high"] > 2 * 100 * high
    assert alone["at_most"] < alone["high"]


def test_the_interval_of_equal_clusters_is_that_of_their_mean():
    hits = [3, 5, 1, 8, 4, 4]
    seen = clusters.rate([(h, 200) for h in hits])
    low, high = stats.t.interval(0.95, 5, np.mean(hits), stats.sem(hits))
    assert seen["low"] == pytest.approx(low / 2) and seen["high"] == pytest.approx(high / 2)


def test_no_case_at_all_leaves_what_the_nights_leave():
    seen = clusters.rate([(0, 500), (0, 500)])
    assert seen["low"] == 0
    assert seen["high"] == pytest.approx(100 * (1 - 0.025 ** (1 / 1000)))
    assert seen["at_most"] == pytest.approx(100 * (1 - 0.05 ** (1 / 1000)))
    assert clusters.rate([(3, 1000)])["high"] == pytest.approx(100 * binomial.interval(3, 1000)[1])
    assert clusters.rate([]) == {"low": 0, "high": 100, "at_most": 100}


@pytest.mark.parametrize(
    "n, wanted", [(0, None), (1, [1, 1]), (5, [1, 5]), (6, [1, 6]), (10, [2, 9]), (20, [6, 15])]
)
def test_the_interval_of_a_median_is_of_order_statistics(n, wanted):
    """Conover's table: the 2nd and 9th of 10, the 6th and 15th of 20."""
    assert clusters.median_interval(range(1, n + 1)) == wanted


def test_summaries_have_intervals_and_delays():
    made = {f"{seed}/kind/20/{k}": stepped(60 + k) for seed in (1, 2) for k in range(2)}
    told = [
        {"series_id": "1/kind/20/0", "idx": 60, "night": 62},
        {"series_id": "2/kind/20/1", "idx": 61, "night": 65},
        {"series_id": "2/kind/20/1", "idx": 90, "night": 91},
    ]
    scored = history_score.summary(made, told)
    assert scored["interval"] == clusters.rate([(0, 160), (1, 160)])
    assert scored["effects"]["20"]["delay_interval"] == [3, 5]
    both = history_score.profiles({**made, "1/other/20/0": ("other", *stepped(70)[1:])}, told)
    assert both["kind"] == scored and both["other"]["effects"]["20"]["found_percent"] == 0


def test_shares_are_told_by_kind_and_effect():
    cases = {"a": ("x", 5.0, None), "b": ("x", -5.0, None), "c": ("y", 5.0, None)}
    cases["d"] = ("x", 0.0, None)
    said = {"a": "worse", "b": "worse", "c": "better", "d": "inconclusive"}
    scored = gate_score.shares(cases, said)
    assert scored["found_by_profile"]["x"]["5"]["hits"] == 1
    assert scored["found_by_profile"]["x"]["-5"]["hits"] == 0
    assert scored["found_by_profile"]["y"]["5"]["hits"] == 0
    assert scored["inconclusive_by_profile"]["x"] == {"hits": 1, "count": 1, "percent": 100}


def test_all_rules_judge_the_recorded_pairs(tmp_path):
    rows = recorded_score.equal_builds(RECORDINGS / "shared_vm.csv.gz", tmp_path)
    assert len(rows) == 2 * 3
    judged = {
        sum(n for v, n in r.items() if v not in ("rule", "recording"))
        for r in rows
        if r["recording"].endswith("inter")
    }
    assert judged == {184}


def test_neighbouring_rounds_of_recorded_pairs_are_hardly_alike(tmp_path):
    inter, seq = recorded_score.neighbours(RECORDINGS / "shared_vm.csv.gz", tmp_path)
    assert (inter["design"], seq["design"]) == ("inter", "seq")
    assert inter["pairs"] == seq["pairs"] == 184
    assert 0 < inter["half"] < 0.04 and abs(inter["mean"]) < 0.1


@pytest.mark.parametrize("correlation, low, high", [(0.0, -0.03, 0.03), (0.5, 0.3, 0.5)])
def test_the_correlation_of_neighbours_is_told(tmp_path, correlation, low, high):
    """Of independent rounds without bias, of others somewhat too small."""
    rng = np.random.default_rng(3)
    lines = ["design,block,kernel,round,arm,cpu_ns"]
    for case in range(300):
        state = rng.normal()
        for i in range(20):
            lines += [f"x,0,{case},{i},a,1000", f"x,0,{case},{i},b,{1000 * np.exp(0.01 * state)}"]
            state = correlation * state + rng.normal() * np.sqrt(1 - correlation**2)
    path = tmp_path / "r.csv"
    path.write_text("\n".join(lines) + "\n")
    [one] = recorded_score.neighbours(path, tmp_path)
    assert low < one["mean"] < high


def test_steps_are_put_into_the_calm_part_of_a_public_history(tmp_path, monkeypatch):
    quick = {"t test window (Perfherder)": CHANGE_POINT_RULES["t test window (Perfherder)"]}
    monkeypatch.setattr(recorded_score, "CHANGE_POINT_RULES", quick)
    values = recorded_score.recorded(RECORDINGS / "tigerbeetle.csv")
    made = recorded_score.made_of(values)
    assert np.array_equal(made["whole/0"][2].times[:, 0], values)
    _, effect, one = made["calm/10/60"]
    assert effect == 10 and one.steps == [60]
    assert np.allclose(one.times[:60, 0], values[212:272])
    assert np.allclose(one.times[60:, 0], 1.1 * values[272:])
    scored = recorded_score.public(RECORDINGS / "tigerbeetle.csv", tmp_path)
    assert scored["nights"] == 365
    assert scored["rules"]["nsop, new levels"]["effects"]["10"]["steps"] == 7
    assert scored["rules"]["t test window (Perfherder)"]["told"] == 2  # 71 and 131
