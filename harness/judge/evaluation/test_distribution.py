"""Heads that are slower now and then are so as they say, and are counted."""

import numpy as np
import pytest

from . import distribution_score, files, gate_score, noise
from .page import tables, targets


def test_heads_are_slower_as_they_say():
    names = [f"1/quiet/{copy}" for copy in range(40)]
    plain = np.array([distribution_score.drawn(n, distribution_score.UNCHANGED, 1) for n in names])
    assert np.allclose(np.log(plain[:, :, 1] / plain[:, :, 0]), 0, atol=0.1)
    for head, share, factor in (
        ("70 % of the repetitions 20 % slower", 0.7, 1.2),
        ("half of the repetitions twice as slow", 0.5, 2),
        ("one repetition in ten five times as slow", 0.1, 5),
        ("the first repetition of a process twice as slow", 0.1, 2),
        ("half of the processes 20 % slower", 0.5, 1.2),
        (distribution_score.ONE_OF_TWO, 1, 1.1),
    ):
        times = np.array([distribution_score.drawn(n, head, 1) for n in names])
        level = np.median(times[:, :, 0], axis=2)[:, :, None]
        slow = times[:, :, 1] / level > np.sqrt(factor)
        assert slow.mean() == pytest.approx(share, abs=0.03), head
        assert np.median(times[:, :, 1][slow] / (level * np.ones(10))[slow]) == pytest.approx(
            factor, rel=0.02
        ), head


def test_a_head_that_is_slower_now_and_then_is_found_beside_its_fastest_repetition(tmp_path):
    names = [f"1/{profile}/{copy}" for profile in ("quiet", "lab") for copy in range(10)]
    one = distribution_score.line(tmp_path, names, "half of the repetitions twice as slow")
    assert one["found"]["hits"] == one["confirmed"]["hits"] == 20
    assert one["same_by_fastest"]["hits"] == 20 and one["same"]["hits"] == 0
    same = distribution_score.line(tmp_path, names, distribution_score.UNCHANGED)
    assert same["same"]["hits"] == same["same_by_fastest"]["hits"] == 20


def test_rows_are_of_gates_and_counted_by_kind(tmp_path, monkeypatch):
    names = distribution_score.names_of([3], 4)
    gates = files.gates_of(names)
    assert len(set(gates.values())) == len(noise.PROFILES) and "" not in gates.values()
    head = "half of the repetitions twice as slow"
    one = distribution_score.line(tmp_path, names, head)
    for key in ("same", "found", "confirmed"):
        kinds = one[f"{key}_by_profile"]
        assert set(kinds) == set(noise.PROFILES) and kinds["quiet"]["count"] == 4
        assert sum(kind["hits"] for kind in kinds.values()) == one[key]["hits"]
    assert one["confirmed_by_profile"]["quiet"]["hits"] == 4
    # Both sessions say worse, but it doesn't stand among all rows of a gate.
    monkeypatch.setattr(gate_score, "FALSE_DISCOVERY_RATE", 0)
    strict = distribution_score.line(tmp_path, names, head)
    assert strict["found"] == one["found"] and strict["confirmed"]["hits"] == 0


def test_kinds_of_machines_have_a_table_of_what_is_slower_now_and_then():
    def line(head, same, found, confirmed):
        hits = {"same": same, "found": found, "confirmed": confirmed}
        kinds = {k: {"quiet": gate_score.share(n, 50)} for k, n in hits.items()}
        return {"head": head, **{f"{key}_by_profile": one for key, one in kinds.items()}}

    lines = [
        line(distribution_score.UNCHANGED, 48, 1, 0),
        line("a", 0, 50, 49),
        line("b", 2, 40, 30),
    ]
    (row,) = tables.distribution_kinds(lines)
    shares = [(2, 100), (90, 100), (79, 100), (1, 50)]
    assert row == ["quiet", *(tables.share(*one) for one in shares)]
    assert list(tables.distribution_kinds([{"head": "a"}])) == []


def test_first_operations_are_slower_and_delayed_as_they_say():
    names = [f"1/quiet/{copy}" for copy in range(40)]
    for head, (delayed, factor) in distribution_score.FIRSTS.items():
        times = [distribution_score.drawn(n, head, 1) for n in names]
        firsts = [distribution_score.drawn_firsts(n, head, 1, t) for n, t in zip(names, times)]
        over = np.array(firsts) / np.array([t.min(axis=2) for t in times]) / [1, factor]
        late = over > np.sqrt(distribution_score.DELAY)
        assert late.mean() == pytest.approx(delayed, abs=0.04), head
        assert np.std(np.log(over[~late])) == pytest.approx(distribution_score.FIRST_SD, rel=0.1)
        assert np.median(over[~late]) == pytest.approx(1, rel=0.05)


def test_first_operations_decide_where_many_are_delayed(tmp_path):
    names = [f"1/quiet/{copy}" for copy in range(20)]
    heads = iter(distribution_score.FIRSTS)
    twice, unchanged, five = (distribution_score.line(tmp_path, names, head) for head in heads)
    assert twice["found"]["hits"] >= 15 and twice["same"]["hits"] == 0
    assert unchanged["same"]["hits"] >= 12 and unchanged["found"]["hits"] == 0
    assert five["same"]["hits"] == 0 and five["better"]["hits"] == 0


def test_targets_of_heads_that_are_slower_now_and_then_can_be_missed():
    def line(head, **hits):
        keys = ("same", "found", "better", "inconclusive", "inconclusive_by_fastest")
        return {"head": head, **{k: gate_score.share(hits.get(k, 0), 2000) for k in keys}}

    unchanged = line(distribution_score.UNCHANGED, inconclusive=9, inconclusive_by_fastest=9)
    said = [row[3] for row in targets.of_distributions([unchanged, line("slower")])]
    assert said == ["met", "met", "met"]
    worse = line(distribution_score.UNCHANGED, found=9, inconclusive=10, inconclusive_by_fastest=9)
    said = [row[3] for row in targets.of_distributions([worse, line("slower", same=9)])]
    assert said == ["**missed**"] * 3
    delayed = line(distribution_score.DELAYED, better=9, inconclusive=300)
    assert [row[3] for row in targets.of_distributions([unchanged, delayed])][-1] == "**missed**"
