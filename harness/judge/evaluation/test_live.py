"""The live proof with a stand-in for nsop: what is asked, kept, counted and printed."""

import argparse
import json
import tomllib

import pytest

from . import live, live_builds, live_plan, live_score
from .page import live_targets, plots, render

ROW = live_plan.rows_of("tanh")[0]
OTHER = live_plan.OTHERS[0]


def session(verdict, ratio=1.0, spread=0.01):
    ratios = [[spread * (-1) ** i, i] for i in range(6)]
    interval = {"ratio": ratio, "lo": ratio - 0.004, "hi": ratio + 0.004, "rounds": 6}
    return {"verdict": verdict, **interval, "log_ratios": ratios}


def row(case, verdict, ratio=1.0, spread=0.01, control=False):
    first = session(verdict, ratio, spread)
    return {
        "case": case,
        "control": control,
        "verdict": verdict,
        "note": "",
        "first": first,
        "second": None,
    }


def answer(rows, void=""):
    control = row("nop", "same", control=True)
    return {"void": void, "layouts": 10, "seconds": 1.5, "rows": [*rows, control]}


def entry(kind, rows, op="", percent=0, seed=1, void="", code=0):
    job = live_plan.Job(kind, op, percent, seed)
    kept = [live.kept_row(r) for r in rows]
    return {
        **{
            "key": job.key(),
            "kind": kind,
            "op": op,
            "percent": percent,
            "exit": code,
            "void": void,
        },
        **{"layouts": 10, "seconds": 1.5, "wall_seconds": 2.0, "rows": kept},
        "at_utc": "2026-01-02T03:04:05Z",
    }


@pytest.fixture
def nsop(tmp_path, monkeypatch):
    """A program that prints what the test says, and keeps what it was asked."""
    program = tmp_path / "nsop"

    def says(what, code=0):
        text = what if isinstance(what, str) else json.dumps(what)
        (tmp_path / "answer").write_text(text)
        body = f'echo "$@" >>"{tmp_path}/log"; cat "{tmp_path}/answer"; exit {code}'
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        monkeypatch.setattr(live, "NSOP", program)
        return tmp_path / "log"

    return says


def test_a_gate_is_asked_to_time_what_is_identical(nsop, tmp_path):
    log = nsop(answer([row(ROW, "same")]))
    kept = live.answer_of(live_plan.Job("gate", seed=3), tmp_path, "0s")
    assert [r["case"] for r in kept["rows"]] == [ROW]
    asked = log.read_text()
    assert "--time-identical" in asked and "--rounds" not in asked
    assert f"--base {tmp_path}/base --head {tmp_path}/again" in asked
    live.answer_of(live_plan.Job("calibration", "tanh", 5), tmp_path, "0s")
    assert f"--head {tmp_path}/tanh-5" in log.read_text()
    assert "--rounds 200" in log.read_text()


def test_rows_of_a_head_with_a_slow_thread_are_measured_on_as_many(tmp_path):
    jobs = live_plan.distribution_jobs(1)
    assert [job.slow for job in jobs if job.threads() == 2] == ["tanh:10:threads:2"]
    assert {job.threads() for job in jobs} == {1, 2}
    assert live.rows_as_arguments(jobs[0], tmp_path) == jobs[0].rows()
    job = next(job for job in jobs if job.threads() == 2)
    option, suites = live.rows_as_arguments(job, tmp_path)
    assert option == "--suites"
    suite = tomllib.loads((suites / "live.toml").read_text())
    asked = [(one["case"], one["threads"]) for one in suite["cases"]]
    assert asked == [(case, [2]) for case in job.rows()]


def test_heads_that_are_slower_now_and_then_are_planned_counted_and_shown(tmp_path, monkeypatch):
    jobs = live_plan.distribution_jobs(2)
    assert len(jobs) == 2 * len(live_plan.DISTRIBUTIONS) == len({job.key() for job in jobs})
    assert {job.head() for job in jobs} == {name for name, _ in live_plan.distribution_heads()}
    slow = "tanh:100:slices:50"
    assert live_plan.folder_of(slow) == "tanh-100-slices-50"
    slower = live_plan.DISTRIBUTION_ROW[0]
    gates = []
    for seed, verdict in ((1, "worse"), (2, "inconclusive"), (3, "same")):
        one = entry("distribution", [row(slower, verdict), row(OTHER, "same")], "tanh", seed=seed)
        gates.append({**one, "slow": slow})
    result = live_score.score([*gates, entry("gate", [row(OTHER, "same")])])
    (line,) = result["distributions"]
    assert line["gates"] == 3 and line["others"] == {"same": 3}
    assert line["verdicts"] == {"worse": 1, "inconclusive": 1, "same": 1}
    assert result["nulls"]["gates"] == 1, "they are none of the gates of a build against itself"
    result.update(cpu="CPU", cpus=2, commit="c")
    monkeypatch.setattr(live, "RESULTS", tmp_path)
    (tmp_path / "a.json").write_text(json.dumps(result))
    kept = live.stored()
    shown = next(render.now_and_then_rows(kept))
    assert shown[:6] == [live_plan.DISTRIBUTIONS[slow], 3, 1, "1 (1)", 0, 1]
    assert "commit c, judged by c" in render.live_text(kept)["now_and_then_of"]
    said = {r[0]: r[2:] for r in live_targets.of_live(kept, False)}
    assert said[f"Live, {line['what']}: called the same"] == ["1 of 3", "**missed**"]


def test_what_is_no_verdict_is_a_failure(nsop, tmp_path):
    for text, code in (("", 0), ("{}", 2)):
        nsop(text, code)
        with pytest.raises(live.Failed):
            live.answer_of(live_plan.Job("gate", seed=1), tmp_path, "0s")


def test_an_interrupted_measurement_goes_on_where_it_was(nsop, tmp_path):
    log = nsop(answer([row(ROW, "same")]))
    jobs = live_plan.jobs(2, [5])
    live.measure(tmp_path, jobs[:3], 10, "0s")
    assert len(live.journal_of(tmp_path)) == 3
    journal = tmp_path / live.JOURNAL
    journal.write_text(journal.read_text() + '{"key": "cut o')
    live.measure(tmp_path, jobs, 10, "0s")
    assert len(log.read_text().splitlines()) == len(jobs)
    assert [e["key"] for e in live.journal_of(tmp_path)] == [job.key() for job in jobs]
    live.measure(tmp_path, live_plan.jobs(3, [5]), 0, "0s")  # no time is left
    assert len(live.journal_of(tmp_path)) == len(jobs)


def test_a_gate_that_fails_is_left_for_the_next_time(nsop, tmp_path):
    jobs = live_plan.jobs(1, [5])
    nsop("", 5)
    live.measure(tmp_path, jobs[: live.MOST_FAILURES - 1], 10, "0s")
    assert live.journal_of(tmp_path) == []
    with pytest.raises(live.Failed):
        live.measure(tmp_path, jobs, 10, "0s")
    nsop(answer([row(ROW, "same")]))
    live.measure(tmp_path, jobs, 10, "0s")
    assert [e["key"] for e in live.journal_of(tmp_path)] == [job.key() for job in jobs]


def test_the_plan_asks_for_what_the_targets_need_first():
    plan = live_plan.jobs(20, [2, 5, 10])
    kinds = [(job.kind, job.percent) for job in plan]
    for percent in (0, 2, 5, 10):
        assert kinds.count(("gate", percent)) == 20
    assert kinds[:6] == [("calibration", p) for p in (2, 2, 5, 5)] + [("gate", 2), ("gate", 5)]
    assert kinds.index(("gate", 10)) > max(i for i, k in enumerate(kinds) if k == ("gate", 5))
    assert kinds[-1] == ("cost", 0)
    assert len({job.key() for job in plan}) == len(plan)
    assert {job.head() for job in plan} == {name for name, _ in live_plan.heads([2, 5, 10])}
    assert len(set(live_plan.cost_rows())) == 72


def test_gates_of_a_build_against_itself_are_counted():
    entries = [
        entry("gate", [row(ROW, "same"), row(OTHER, "inconclusive", spread=0.05)], seed=1),
        entry("gate", [row(ROW, "worse"), row(OTHER, "inconclusive")], seed=2),
        entry("gate", [row(ROW, "worse")], seed=3, void="a control moved"),
    ]
    nulls = live_score.score(entries)["nulls"]
    assert (nulls["gates"], nulls["void"], nulls["judged"], nulls["wrong"]) == (3, 1, 4, 1)
    assert (nulls["quiet"], nulls["quiet_inconclusive"], nulls["inconclusive"]) == (3, 1, 2)


@pytest.mark.parametrize(
    "verdict, other, code, alone",
    [
        ("worse", "same", 1, 1),
        ("worse", "worse", 1, 0),
        ("same", "same", 0, 0),
        ("worse", "same", 3, 0),
    ],
)
def test_a_slower_row_must_be_named_alone(verdict, other, code, alone):
    gate = entry("gate", [row(ROW, verdict, 1.05), row(OTHER, other)], "tanh", 5, code=code)
    (effect,) = live_score.score([gate])["effects"]
    (slowed,) = effect["rows"]
    assert slowed["named_alone"] == alone
    assert effect["others"] == {other: 1}
    assert slowed["same_below_truth"] is None  # nothing says what is true


def test_a_claim_below_the_truth_is_told():
    entries = [
        entry("calibration", [row(ROW, "worse", 1.02)], "tanh", 2),
        entry("gate", [row(ROW, "same", 1.002)], "tanh", 2, seed=1),
        entry("gate", [row(ROW, "same", 1.019)], "tanh", 2, seed=2),
    ]
    (slowed,) = live_score.score(entries)["effects"][0]["rows"]
    assert slowed["true_percent"] == pytest.approx([2, 1.6, 2.4])
    assert slowed["same_below_truth"] == 1


def of_five(scored):
    return [r[2:] for r in live_targets.of_live(scored, False) if r[0].startswith("Live, +5 %")]


def test_only_rows_that_are_slower_by_what_was_built_in_count_as_such():
    named = row(ROW, "worse", 1.05)
    gates = [entry("gate", [named], "tanh", 5, seed=s, code=1) for s in range(20)]

    def said(true):
        truth = entry("calibration", [row(ROW, "worse", true)], "tanh", 5)
        scored = live_score.score([truth, *gates])
        return of_five(scored), scored["effects"][0]["power"]

    rows, (power,) = said(1.05)
    assert rows[0] == ["0 of 20 in 20 gates", "met"]
    assert rows[1] == ["20 of 20 (100 %)", "met"] and rows[2] == ["0 of 0", "no row was"]
    assert (power["judged"], power["confirmed"], power["found_by"]["10"]) == (20, 20, 20)
    rows, power = said(1.0635)  # an interval of 0.4 % reaches into 4 to 6 %
    assert rows[1][1] == "met" and len(power) == 1
    rows, power = said(1.065)
    assert rows[1][1] == "no row was" and power == []
    rows, power = said(1.01)  # the slow-down cost next to nothing: says nothing of 5 %
    assert rows[0] == ["0 of 0 in 20 gates", "no row was"] and power == []
    assert rows[1][1] == rows[2][1] == "no row was"


def test_noisy_rows_are_found_with_more_rounds():
    noisy = row(ROW, "worse", 1.05, spread=0.05)
    noisy["first"]["rounds"] = 80
    quiet = row(ROW, "worse", 1.05)
    truth = entry("calibration", [quiet], "tanh", 5)
    gates = [entry("gate", [noisy], "tanh", 5, seed=s, code=1) for s in range(18)]
    gates += [entry("gate", [quiet], "tanh", 5, seed=s, code=3) for s in range(18, 20)]
    scored = live_score.score([truth, *gates])
    rows = of_five(scored)[1:]
    assert rows == [
        ["0 of 2 (0 %)", "**missed**"],
        ["18 of 18 (100 %)", "18 of 20 gates measured: met so far"],
    ]
    calm, wild = scored["effects"][0]["power"]
    assert calm["sd_percent"] == [0, 2] and wild["sd_percent"] == [4, 8]
    assert (wild["found_by"]["40"], wild["found_by"]["80"]) == (0, 18)


def test_each_part_is_of_the_newest_result_that_has_enough_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "RESULTS", tmp_path)
    assert live.stored() is None

    def keep(commit, day, gates, percent):
        entries = [entry("gate", [row(ROW, "same")], "tanh", percent, seed=s) for s in range(gates)]
        for one in entries:
            one["at_utc"] = f"{day}T01:02:03Z"
        result = {**live_score.score(entries), "commit": commit, "cpu": "a CPU", "cpus": 2}
        (tmp_path / f"{commit}.json").write_text(json.dumps(result))

    keep("b", "2026-01-01", 20, 5)
    keep("a", "2026-01-02", 3, 5)
    keep("c", "2026-01-03", 2, 2)
    found = live.stored()
    said = [(e["built_percent"], e["gates"], e["commit"], e["day"]) for e in found["effects"]]
    assert said == [(2, 2, "c", "2026-01-03"), (5, 20, "b", "2026-01-01")]
    keep("d", "2026-01-04", 21, 5)
    assert [e["commit"] for e in live.stored()["effects"]] == ["c", "d"]
    text = render.live_text(found)["others"]
    assert "+2 % (commit c, judged by c, 2026-01-03): 2 gates, 20 asked for" in text


def test_void_gates_and_the_cost_say_nothing_and_make_no_part_enough(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "RESULTS", tmp_path)

    def keep(commit, day, entries, cpu="a CPU"):
        for one in entries:
            one["at_utc"] = f"{day}T01:02:03Z"
        result = {**live_score.score(entries), "commit": commit, "cpu": cpu, "cpus": 2}
        (tmp_path / f"{commit}.json").write_text(json.dumps(result))

    rows = [row(ROW, "same")]
    whole = [entry("gate", rows, seed=s) for s in range(20)]
    void = [entry("gate", rows, seed=s, void="a control moved") for s in range(20)]
    keep("old", "2026-01-01", whole)
    keep("new", "2026-01-02", void)
    assert live.stored()["nulls"]["commit"] == "old"
    nearly = live_score.score([*whole[:19], entry("cost", rows)])
    assert next(live_targets.of_live(nearly, False))[3] == "19 of 20 gates measured: met so far"
    empty = live_score.score(void)
    assert next(live_targets.of_live(empty, False))[3] == "0 of 20 gates measured: met so far"
    keep("elsewhere", "2026-01-03", whole[:2], cpu="another CPU")
    assert live.stored()["nulls"]["gates"] == 2


def test_a_void_calibration_is_measured_again_and_a_void_gate_is_not(tmp_path, monkeypatch):
    asked = []

    def answer_of(job, folder, budget):
        asked.append(job.key())
        one = entry(job.kind, [row(ROW, "same")], job.op, job.percent, job.seed, void="moved")
        return {**one, "key": job.key()}

    monkeypatch.setattr(live, "answer_of", answer_of)
    jobs = [live_plan.Job("calibration", "tanh", 5), live_plan.Job("gate", "tanh", 5, 1)]
    for _ in range(2):
        live.measure(tmp_path, jobs, 60, "1s")
    assert asked == [jobs[0].key(), jobs[1].key(), jobs[0].key()]


def test_link_orders_that_decide_nothing_are_refused(capsys):
    parser = argparse.ArgumentParser()
    live.add_options(parser)
    assert parser.parse_args(["--layouts", "1"]).layouts == 1
    for few in ("0", "2", "5"):
        with pytest.raises(SystemExit):
            parser.parse_args(["--layouts", few])
        assert f"{few}: take 1, or 6 and more" in capsys.readouterr().err


def test_fewer_gates_than_a_target_speaks_of_are_no_success():
    gates = [entry("gate", [row(ROW, "same")], seed=s) for s in range(19)]
    measured = live_score.score(gates)
    said = {r[0]: r[3] for r in live_targets.of_live(measured, False)}
    assert said["Live, itself: wrong verdicts"] == "19 of 20 gates measured: met so far"
    assert said["Live, +5 %"] == said["Live, +2 %"] == "not measured"
    measured["nulls"]["wrong"] = 2
    assert "missed" in next(live_targets.of_live(measured, False))[3]
    measured["nulls"].update(gates=20, wrong=1)
    assert next(live_targets.of_live(measured, False))[3] == "met"


def test_the_whole_result_is_printed_and_drawn():
    entries = [
        entry("gate", [row(ROW, "same")]),
        entry("cost", [row(ROW, "same")], seed=0),
        entry("calibration", [row(ROW, "worse", 1.05)], "tanh", 5, seed=0),
        entry("gate", [row(ROW, "worse", 1.05), row(OTHER, "same")], "tanh", 5, code=1),
    ]
    result = {**live_score.score(entries), "commit": "abc", "cpu": "a CPU", "cpus": 2}
    for part in (result["nulls"], result["cost"], *result["effects"]):
        part.update(commit="abc", judge="def", day="2026-01-02")
    text = render.live_text(result)
    assert text["nulls"]["wrong"] == 0 and text["nulls"]["judge"] == "def"
    assert text["others"].startswith(
        "+5 % (commit abc, judged by def, 2026-01-02): 1 gates, 20 asked for"
    )
    assert text["slowed"][0][:2] == [f"`{ROW}`", "5 %: +5.0 % [+4.6 %, +5.4 %]"]
    assert text["slowed"][0][4:] == ["1, 0", "0 (0)", 0, "1 of 1"]
    assert "1 rows (commit abc) took 2 s" in text["cost"]
    assert text["power"] == [["5 %", "0 to 2 %", 1, "1, 1, 1, 1, 1", 1, 0]]
    assert plots.live_plot(result).startswith(b"<svg ")
    assert render.live_text(None) is None


def test_without_builds_it_says_what_to_run(tmp_path):
    parser = argparse.ArgumentParser()
    live.add_options(parser)
    options = parser.parse_args(["--live", "--builds", str(tmp_path)])
    with pytest.raises(live_builds.NotBuilt, match="make judge-live-build"):
        live.run(options)
    (tmp_path / "abc" / "base").mkdir(parents=True)
    assert live_builds.built(tmp_path, "").name == "abc"
    with pytest.raises(live_builds.NotBuilt):
        live_builds.built(tmp_path, "another")
