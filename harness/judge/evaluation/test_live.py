"""The live proof with a stand-in for nsop: what is asked, kept, counted and printed."""

import argparse
import json

import pytest

from . import live, live_builds, live_plan, live_score, render, targets

RELU = live_plan.rows_of("relu")[0]
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
    log = nsop(answer([row(RELU, "same")]))
    kept = live.answer_of(live_plan.Job("gate", seed=3), tmp_path, "0s")
    assert [r["case"] for r in kept["rows"]] == [RELU]
    asked = log.read_text()
    assert "--time-identical" in asked and "--rounds" not in asked
    assert f"--base {tmp_path}/base --head {tmp_path}/again" in asked
    live.answer_of(live_plan.Job("calibration", "relu", 5), tmp_path, "0s")
    assert f"--head {tmp_path}/relu-5" in log.read_text()
    assert "--rounds 200" in log.read_text()


def test_what_is_no_verdict_is_a_failure(nsop, tmp_path):
    for text, code in (("", 0), ("{}", 2)):
        nsop(text, code)
        with pytest.raises(live.Failed):
            live.answer_of(live_plan.Job("gate", seed=1), tmp_path, "0s")


def test_an_interrupted_measurement_goes_on_where_it_was(nsop, tmp_path):
    log = nsop(answer([row(RELU, "same")]))
    jobs = live_plan.jobs(2, [5])
    live.measure(tmp_path, jobs[:3], 10, "0s")
    journal = tmp_path / live.JOURNAL
    journal.write_text(journal.read_text() + '{"key": "cut o')
    live.measure(tmp_path, jobs, 10, "0s")
    assert len(log.read_text().splitlines()) == len(jobs)
    assert [e["key"] for e in live.journal_of(tmp_path)] == [job.key() for job in jobs]
    live.measure(tmp_path, live_plan.jobs(3, [5]), 0, "0s")  # no time is left
    assert len(live.journal_of(tmp_path)) == len(jobs)


def test_the_plan_asks_for_what_the_targets_need_first():
    plan = live_plan.jobs(20, [5, 2])
    kinds = [(job.kind, job.percent) for job in plan]
    assert kinds.count(("gate", 0)) == kinds.count(("gate", 5)) == kinds.count(("gate", 2)) == 20
    assert kinds.index(("cost", 0)) < kinds.index(("calibration", 2)) < kinds.index(("gate", 2))
    assert len({job.key() for job in plan}) == len(plan)
    assert {job.head() for job in plan} == {name for name, _, _ in live_plan.heads([5, 2])}
    assert len(set(live_plan.cost_rows())) == 72


def test_gates_of_a_build_against_itself_are_counted():
    entries = [
        entry("gate", [row(RELU, "same"), row(OTHER, "inconclusive", spread=0.05)], seed=1),
        entry("gate", [row(RELU, "worse"), row(OTHER, "inconclusive")], seed=2),
        entry("gate", [row(RELU, "worse")], seed=3, void="a control moved"),
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
    gate = entry("gate", [row(RELU, verdict, 1.05), row(OTHER, other)], "relu", 5, code=code)
    (effect,) = live_score.score([gate])["effects"]
    (slowed,) = effect["rows"]
    assert slowed["named_alone"] == alone
    assert effect["others"] == {other: 1}
    assert slowed["same_below_truth"] is None  # nothing says what is true


def test_a_claim_below_the_truth_is_told():
    entries = [
        entry("calibration", [row(RELU, "worse", 1.02)], "relu", 2),
        entry("gate", [row(RELU, "same", 1.002)], "relu", 2, seed=1),
        entry("gate", [row(RELU, "same", 1.019)], "relu", 2, seed=2),
    ]
    (slowed,) = live_score.score(entries)["effects"][0]["rows"]
    assert slowed["true_percent"] == pytest.approx([2, 1.6, 2.4])
    assert slowed["same_below_truth"] == 1


def test_fewer_gates_than_a_target_speaks_of_are_no_success():
    gates = [entry("gate", [row(RELU, "same")], seed=s) for s in range(19)]
    measured = live_score.score(gates)
    said = {r[0]: r[3] for r in targets.of_live(measured)}
    assert said["Live, itself: wrong verdicts"] == "19 of 20 gates measured: met so far"
    assert said["Live, +5 %"] == said["Live, +2 %"] == "not measured"
    measured["nulls"]["wrong"] = 2
    assert "missed" in next(targets.of_live(measured))[3]
    measured["nulls"].update(gates=20, wrong=1)
    assert next(targets.of_live(measured))[3] == "met"


def test_the_whole_result_is_printed_and_drawn():
    entries = [
        entry("gate", [row(RELU, "same")]),
        entry("cost", [row(RELU, "same")], seed=0),
        entry("calibration", [row(RELU, "worse", 1.05)], "relu", 5, seed=0),
        entry("gate", [row(RELU, "worse", 1.05), row(OTHER, "same")], "relu", 5, code=1),
    ]
    result = {**live_score.score(entries), "commit": "abc", "cpu": "a CPU", "cpus": 2}
    text = render.live_text(result)
    assert text["nulls"]["wrong"] == 0 and text["day"] == "2026-01-02"
    assert text["slowed"][0][:3] == ["5 %", f"`{RELU}`", "+5.0 % [+4.6 %, +5.4 %]"]
    assert text["slowed"][0][5:] == [1, 0, 0, 0, "1 of 1", 0]
    assert "1 rows took 2 s" in text["cost"]
    assert render.live_plot(result).startswith(b"\x89PNG")
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
