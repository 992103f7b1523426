"""The synthetic machines do what their profiles say, and scores count what they claim to count."""

import csv

import numpy as np
import pytest

from harness.judge.evaluation import (
    __main__ as evaluation,
    files,
    gate_score,
    history_score,
    layout_score,
    live_score,
    noise,
)
from harness.judge.evaluation.page import render, tables, targets
from harness.judge.evaluation.unseen.score import recording


def rounds(profile, effect, key, count=20):
    rng = noise.generator(key, profile, effect)
    return noise.gate_rounds(rng, noise.PROFILES[profile], effect, count, 5)


def test_a_key_always_draws_the_same_and_another_one_does_not():
    assert np.array_equal(rounds("lab", 0, "a"), rounds("lab", 0, "a"))
    assert not np.array_equal(rounds("lab", 0, "a"), rounds("lab", 0, "b"))


@pytest.mark.parametrize("effect", noise.EFFECTS)
def test_the_head_is_slower_by_the_effect(effect):
    times = rounds("quiet", effect, "effect", 200).min(axis=2)
    ratio = np.exp(np.median(np.log(times[:, 1] / times[:, 0])))
    assert ratio == pytest.approx(1 + effect / 100, abs=2e-3)


def test_profiles_differ_in_noise():
    spread = {}
    for profile in ("quiet", "lab", "ci_vm", "shared_vm"):
        times = rounds(profile, 0, "spread", 400).min(axis=2)
        spread[profile] = np.std(np.log(times[:, 1] / times[:, 0]))
    assert spread["quiet"] < spread["lab"] < spread["ci_vm"] < spread["shared_vm"]


@pytest.mark.parametrize("copy", range(5))
def test_histories_change_where_they_say(copy):
    rng = noise.generator("h", copy)
    one = noise.history(rng, noise.PROFILES["quiet"], 10, copy, 200, 5)
    assert len(one.steps) == (2 if copy == 3 else 1)
    value = np.median(one.times, axis=1)
    for step in one.steps:
        jump = abs(np.log(value[step] / value[step - 1]))
        assert jump == pytest.approx(np.log(1.1), abs=0.02)


def test_hosts_are_announced_where_the_level_moves():
    one = noise.history(noise.generator("m"), noise.PROFILES["machine"], 0, 0, 200, 5)
    at = one.hosts.index("h1")
    value = np.log(np.median(one.times, axis=1))
    assert abs(np.median(value[at : at + 12]) - np.median(value[at - 12 : at])) > 0.02
    assert one.steps == []


def test_written_files_hold_every_repetition(tmp_path):
    files.write_gate(tmp_path / "g.csv", {"case": np.full((3, 2, 5), 1234.5)})
    with open(tmp_path / "g.csv") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 30
    assert {row["arm"] for row in rows} == {"base", "head"}
    assert {row["cpu_ns"] for row in rows} == {"1234.5"}


def test_rounds_of_one_link_order_count_as_one(tmp_path):
    times = rounds("quiet", 10, "orders", 10)
    cases = {"c": ("quiet", 10.0, times)}
    assert gate_score.verdicts_of(tmp_path, cases)["c"]["verdict"] == "worse"
    grouped = gate_score.verdicts_of(tmp_path, cases, 5)  # five values decide nothing
    assert grouped["c"]["verdict"] == "inconclusive"
    assert [files.layout_of(r, 10) for r in (0, 9, 10, 19)] == [0, 9, 1, 0]


def test_layouts_are_offsets_of_link_orders():
    name = "1/quiet/0/0"
    plain = layout_score.drawn(name, 1, 10, 0.0).min(axis=2)
    moved = layout_score.drawn(name, 1, 10, 5.0).min(axis=2) / plain
    assert moved[0] == pytest.approx(moved[19]) and moved[9] == pytest.approx(moved[18])
    assert len(np.unique(moved.round(9))) == 20  # ten orders of two builds
    one = layout_score.drawn(name, 1, 1, 5.0).min(axis=2) / plain
    again = layout_score.drawn(name, 2, 1, 5.0) / layout_score.drawn(name, 2, 1, 0.0)
    assert one[0] == pytest.approx(again[7, :, 0]), "one order is one program in both sessions"


def test_one_link_order_takes_layout_for_a_change_and_many_do_not(tmp_path):
    names = [f"1/quiet/0/{copy}" for copy in range(10)] + ["1/quiet/5/0"]
    one = layout_score.line(tmp_path, names, 1, 5.0)
    many = layout_score.line(tmp_path, names, 20, 0.5)
    assert one["false_percent"] >= 50 and one["confirmed_percent"] == one["false_percent"]
    assert many["false_percent"] == 0 and many["found_percent"] == 100


def test_a_confirmed_row_must_stand_among_the_rows_of_a_gate():
    def answer(verdict, p):
        return {"verdict": verdict, "p": str(p)}

    least = (gate_score.FALSE_DISCOVERY_RATE / gate_score.ROWS) ** 0.5
    assert gate_score.stands(answer("worse", 1e-9), answer("worse", 0.99 * least))
    assert not gate_score.stands(answer("worse", 1e-9), answer("worse", 1.01 * least))
    assert not gate_score.stands(answer("worse", 1e-9), answer("same", 1e-9))


def test_seeds_in_a_row_are_told_as_a_range():
    assert targets.seeds_text([101, 102, 103]) == "101 to 103"
    assert targets.seeds_text([1, 2]) == "1, 2" and targets.seeds_text([1, 2, 5]) == "1, 2, 5"


def test_shares_count_verdicts_and_false_ones():
    cases = {"a": ("quiet", 0.0, None), "b": ("lab", 0.0, None), "c": ("quiet", 5.0, None)}
    result = gate_score.shares(cases, {"a": "same", "b": "worse", "c": "worse"})
    assert result["effects"]["0"]["worse"] == {"hits": 1, "count": 2, "percent": 50}
    assert result["effects"]["5"]["worse"]["percent"] == 100
    assert result["false_by_profile"]["lab"]["hits"] == 1
    assert result["false_by_profile"]["quiet"]["hits"] == 0


def history_with_step(night):
    return noise.History(np.ones((200, 1)), ["h"] * 200, np.zeros(200), [night])


@pytest.mark.parametrize(
    "index, night, hit", [(100, 104, True), (107, 110, True), (108, 110, False), (100, 131, False)]
)
def test_a_step_is_found_near_it_and_in_time(index, night, hit):
    made = {"s": ("quiet", 5.0, history_with_step(100))}
    told = [{"series_id": "s", "idx": index, "night": night, "kind": "level"}]
    result = history_score.summary(made, told)
    assert result["effects"]["5"]["found_percent"] == (100 if hit else 0)
    assert result["nights"] == 160
    assert result["false"] == (0 if abs(index - 100) <= 7 else 1)


def test_the_program_answers_every_case(tmp_path):
    cases = {n: ("quiet", e, rounds("quiet", e, n)) for n, e in (("same", 0.0), ("worse", 5.0))}
    answers = gate_score.verdicts_of(tmp_path, cases)
    assert {n: a["verdict"] for n, a in answers.items()} == {"same": "same", "worse": "worse"}
    one = noise.history(noise.generator("x"), noise.PROFILES["quiet"], 10, 0, 200, 5)
    files.write_history(tmp_path / "h.csv", {"s": one})
    alerts = files.ask("history", tmp_path / "h.csv", "--tripwire")
    assert any(abs(int(a["idx"]) - one.steps[0]) <= 1 for a in alerts)


def test_alternating_arms_raise_no_false_verdict_on_the_recorded_machine(tmp_path):
    source = evaluation.RECORDINGS / "shared_vm.csv.gz"
    scored = {row["recording"]: row for row in recording(source, tmp_path)}
    alternating = scored["shared_vm.csv, inter"]
    assert alternating.get("worse", 0) + alternating.get("better", 0) == 0
    assert alternating["same"] + alternating["inconclusive"] == 184


def suspect(one, index, night, ratio, kind="level"):
    return {
        **{"series_id": "s", "idx": index, "night": night, "kind": kind, "ratio": ratio},
    }


@pytest.mark.parametrize(
    "index, ratio, confirmed",
    [
        (100, 1.1, True),
        (101, 1.1, True),  # off by what a detector may be off
        (98, 1.1, True),
        (104, 1.1, False),  # measured beside the change: the same code twice
        (100, 0.9, False),  # suspected in the other direction
        (60, 1.1, False),
    ],
)
def test_only_the_code_confirms_a_suspect(tmp_path, index, ratio, confirmed):
    one = history_with_step(100)
    one.level[100:] = np.log1p(0.1)
    made = {"s": ("quiet", 10.0, one)}
    told = history_score.confirm(tmp_path, made, [suspect(one, index, 110, ratio)])
    assert bool(told) == confirmed
    assert history_score.confirm(tmp_path, made, []) == []
    gone = history_score.retracted(tmp_path, made, told)
    assert gone == {"alerts": len(told), "retracted": 0}


def test_levels_that_the_last_night_lacks_are_withdrawn():
    levels = [{"series_id": "a", "idx": "50"}, {"series_id": "a", "idx": "90"}]
    final = [{"series_id": "a", "idx": "57"}, {"series_id": "b", "idx": "90"}]
    assert history_score.withdrawn(levels, final) == {"levels": 2, "withdrawn": 1}


def test_no_target_bends_to_a_result():
    stored = evaluation.read(files.ROOT / "reports/generated/judge.json")
    said = {row[0]: row[3] for row in targets.rows(stored)}
    assert set(said.values()) <= {"met", "**missed**", "not measured"} or stored.get("live")
    stored["history"]["confirmed"].update(false=53, nights=105600, false_per_100=0.0502)
    stored["gate"]["first_session"]["effects"]["0"]["inconclusive"].update(hits=53, count=440)
    said = {row[0]: row[3] for row in targets.rows(stored)}
    assert said["History: false per 100 nights, confirmed alerts"] == "**missed**"
    assert said["Gates: inconclusive at 0 %"] == "**missed**"


def test_the_headline_counts_every_target_once():
    said = ["met", "met", "met by the estimate, not shown by so few", "**missed**", "not measured"]
    said.append("8 of 20 gates measured: met so far")
    rows = [["what", "wanted", "measured", text] for text in said]
    assert targets.headline(rows) == (
        "1 missed, 2 met, 1 met by the estimate, 1 not measured, 1 inconclusive of 6 targets"
    )


def test_shares_where_the_layout_matters_have_intervals():
    shares = {f"{name}_percent": 0.0 for name in ("false", "confirmed", "open")}
    stored = {"sd_percent": 2.0, "orders": 10, "nulls": 1100, **shares, "found_percent": 65.5}
    told = ["2 %", 10, *["0.0 % [0.0, 0.3]"] * 3, "65.5 % [62.6, 68.3]"]
    assert render.layout_row(stored) == told
    assert render.layout_row({**stored, "slower": 11})[-1] == tables.share(7, 11) != told[-1]


@pytest.mark.slow
def test_no_table_of_the_report_has_more_than_eight_columns():
    stored = evaluation.read(files.ROOT / "reports/generated/judge.json")
    page = render.markdown(stored, {"power": "a", "alarms": "b", "live": "c"})
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert lines and max(line.count("|") - 1 for line in lines) <= 8
    seen = stored["live"]["effects"][0]["rows"][0]
    row = next(render.slowed_rows(stored["live"]))
    assert row[4] == f"{seen['verdicts'].get('worse', 0)}, {seen['verdicts'].get('better', 0)}"
    assert row[5] == f"{seen['verdicts'].get('same', 0)} ({seen['same_below_truth']})"
    power = next(render.power_rows(stored["live"]))
    assert power[3].count(", ") == len(live_score.LOOKS) - 1 and len(power) == 6
