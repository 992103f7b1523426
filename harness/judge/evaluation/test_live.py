"""The live proof with a stand-in for nsop: what is counted, and what is printed."""

import argparse
import json

import pytest

from . import live, render


def answer(verdict, ratio=1.0, void=""):
    session = {"ratio": ratio, "lo": ratio - 0.004, "hi": ratio + 0.004, "sd": 0.01}
    session["log_ratios"] = [[0, 0]] * 6
    row = {"case": live.CASES[0], "control": False, "verdict": verdict, "first": session}
    return {"void": void, "rows": [row, {**row, "control": True}]}


@pytest.fixture
def nsop(tmp_path, monkeypatch):
    """A program that prints what the test says."""
    program = tmp_path / "nsop"

    def says(what):
        (tmp_path / "answer").write_text(json.dumps(what))
        program.write_text(f'#!/bin/sh\necho "$@" >>"{tmp_path}/log"; cat "{tmp_path}/answer"\n')
        program.chmod(0o755)
        monkeypatch.setattr(live, "NSOP", program)
        return tmp_path / "log"

    return says


def test_a_gate_is_asked_to_time_what_is_identical(nsop, tmp_path):
    log = nsop(answer("same"))
    rows = live.gate(tmp_path, "base", "head", live.CASES[:1], "--seed", "3")
    assert [row["verdict"] for row in rows] == ["same"]
    assert "--time-identical" in log.read_text()
    nsop(answer("same", void="a control moved"))
    assert live.gate(tmp_path, "base", "head", live.CASES[:1]) is None


def test_verdicts_are_counted_by_row():
    gates = [[answer(v)["rows"][0]] for v in ("same", "same", "worse")] + [None]
    (row,) = live.count(gates)
    assert row["verdicts"] == {"same": 2, "worse": 1}
    assert row["sd_percent"] == 1
    assert row["rounds"] == 6


def test_a_claim_below_the_truth_is_told():
    gates = [[answer("same", 1.002)["rows"][0]], [answer("same", 1.015)["rows"][0]], None]
    assert live.claims_too_much(gates, live.CASES[0], 2.0) == 2
    assert live.claims_too_much(gates, live.CASES[0], 1.0) == 1
    assert live.claims_too_much(gates, "another", 2.0) == 0


def test_the_whole_measurement_and_its_table(nsop, tmp_path, monkeypatch):
    nsop(answer("worse", 1.05))
    monkeypatch.setattr(live, "build", lambda folder, percent, layouts: folder / str(percent))
    parser = argparse.ArgumentParser()
    live.add_options(parser)
    options = parser.parse_args(["--gates", "2", "--percents", "5", "--rows", "1"])
    result = live.measure(tmp_path, options)
    assert [e["built_percent"] for e in result["effects"]] == [0, 5]
    text = render.live_text(result)
    assert text["wrong"] == 2 and text["judged"] == 2
    assert text["rows"][1][0] == "5 % of the outputs twice: +5.0 % [+4.6 %, +5.4 %]"
    assert text["rows"][1][4:] == [2, 0, 0, 0, 0]
    assert render.live_plot(result).startswith(b"\x89PNG")
    assert render.live_text(None) is None
