"""Declared changes in a gate, and the noise between runs that a diff learns from history."""

import json
import sqlite3
from datetime import datetime, timedelta, timezone

import pytest

from harness.cli.testing.repository_support import RELU


def gate(repository, base, head, code):
    return repository.nsop(
        *("gate", RELU, "--base", base, "--head", head, "--layouts", "1", "--budget", "0s"),
        code=code,
    )


@pytest.mark.slow
def test_a_gate_passes_what_is_declared_and_says_so(repository):
    first = repository.commit("First", relu=1000)
    second = repository.commit("Slow it down", relu=1050)
    assert "worse" in gate(repository, first, second, 1).stdout
    known = repository.root / "nsop-known.toml"
    start = '[[change]]\ncase = "relu"\ndirection = "worse"\nreason = "exact rounding"\n'
    known.write_text(start + f'commit = "{second[:12]}"\n')
    done = gate(repository, first, second, 0)
    assert "worse (declared)" in done.stdout
    assert "nsop-known.toml:1: exact rounding" in done.stdout
    # Another commit's change, one of no commit and one whose day is over are not what was meant.
    others = (f'commit = "{first}"', 'commit = "abcdef1234"', "expires = 2020-01-01")
    known.write_text("".join(f"{start}{last}\n" for last in others))
    assert "declared" not in gate(repository, first, second, 1).stdout
    known.write_text(start + "at_most_percent = 2\nexpires = 2999-12-31\n")
    assert "but of at most 2 %" in gate(repository, first, second, 1).stdout
    known.write_text("[[change]]\n")
    done = gate(repository, first, second, 2)
    assert "nsop-known.toml:1: [[change]] lacks case" in done.stderr


def runs(repository, count):
    worker = repository.build()
    for _ in range(count):
        repository.nsop(
            *("run", RELU, "--variant", "hwy", "--rounds", "6", "--quiet", "--worker", worker)
        )


@pytest.mark.slow
def test_a_diff_says_which_noise_between_runs_it_reckons_with(repository):
    repository.commit("First", relu=1000)
    runs(repository, 2)
    done = repository.nsop("diff", "@last~1", "@last", code=None)
    assert "the default for this kind of host" in done.stdout
    # Twelve nights more, by moving runs into the past.
    runs(repository, 12)
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        ids = [row[0] for row in db.execute("SELECT id FROM run ORDER BY seq")]
        for i, run in enumerate(ids):
            at = datetime.now(timezone.utc) - timedelta(days=30 - i)
            stamp = at.strftime("%Y-%m-%dT%H:%M:%SZ")
            [body] = db.execute("SELECT body FROM run WHERE id = ?", (run,)).fetchone()
            body = json.dumps(dict(json.loads(body), started_utc=stamp))
            db.execute("UPDATE run SET started_utc = ?, body = ? WHERE id = ?", (stamp, body, run))
    done = repository.nsop("diff", "@last~1", "@last", "--json", code=None)
    [note] = json.loads(done.stdout)["notes"]
    assert "learned from 13 steps between runs of 1 rows" in note
