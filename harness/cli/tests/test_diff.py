"""nsop diff through the binary: every line says what two stored runs can know, and no more."""

import json
import sqlite3

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.repository_support import RELU, TANH


def measure(repository, *cases, **speed):
    """A commit of these times, and a run of its worker."""
    repository.commit(json.dumps(speed), **speed)
    options = ("--variant", "hwy", "--rounds", "6", "--quiet", "--worker", repository.build())
    crashes = "crash" in speed.values()
    repository.nsop("run", *cases, *options, code=1 if crashes else 0)


def abort(repository, seq):
    """The run of that number ended early."""
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        db.execute(
            "UPDATE run SET state = 'aborted', body = replace(body, 'complete', 'aborted') "
            "WHERE seq = ?",
            (seq,),
        )


def rows_of(done):
    return {row["case"]: row for row in json.loads(done.stdout)["rows"]}


def test_every_line_says_what_is_known(repository):
    measure(repository, RELU, TANH, relu=1000, tanh=1000)
    measure(repository, RELU, TANH, relu=1000, tanh=1500)
    rows = rows_of(repository.nsop("diff", "@last~1", "@last", "--json", code=1))
    assert rows[TANH]["verdict"] == "worse" and rows[TANH]["time"]["lo"] > 1
    assert rows[RELU]["verdict"] in ("same", "inconclusive")
    assert "no change >= " in rows[RELU]["note"] or "between-run noise tau" in rows[RELU]["note"]
    text = repository.nsop("diff", "@last~1", "@last", "--all", code=1).stdout
    assert "the default for this kind of host" in text and "12 runs of one toolchain" in text
    assert rows[RELU]["note"] in text and "2 rows: " in text


def test_a_row_of_one_run_only_is_said(repository):
    measure(repository, RELU, TANH, relu=1000, tanh=1000)
    measure(repository, RELU, relu=1000)
    done = repository.nsop("diff", "@last~1", "@last", "--json", code=3)
    assert rows_of(done)[TANH]["verdict"] == "missing"
    assert rows_of(done)[TANH]["note"] == "not in the run after"
    done = repository.nsop("diff", "@last", "@last~1", "--json", code=None)
    assert rows_of(done)[TANH]["verdict"] == "new"


def run_ids(repository):
    """The ids of all runs, in order."""
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        return [row[0] for row in db.execute("SELECT id FROM run ORDER BY seq")]


def test_what_a_run_that_ended_early_lacks_is_not_new(repository):
    measure(repository, RELU, relu=1500)
    measure(repository, RELU, TANH, relu=1000, tanh=1000)
    ids = run_ids(repository)
    done = repository.nsop("diff", *ids, "--json", code=0)
    assert {case: row["verdict"] for case, row in rows_of(done).items()} == {
        RELU: "better",
        TANH: "new",
    }
    abort(repository, 1)
    done = repository.nsop("diff", *ids, code=3)
    assert f"{ids[0][:8]} is aborted: rows that it didn't reach are missing or new" in done.stdout


def test_what_a_run_that_ended_early_lacks_is_not_lost(repository):
    measure(repository, RELU, TANH, relu=1500, tanh="crash")
    measure(repository, RELU, relu=1000)
    ids = run_ids(repository)
    done = repository.nsop("diff", *ids, "--json", code=0)
    assert rows_of(done)[TANH]["verdict"] == "missing", "it never worked: nothing is lost"
    abort(repository, 2)
    repository.nsop("diff", *ids, code=3)


def test_runs_without_a_common_row_are_not_compared(repository):
    measure(repository, RELU, relu=1000)
    measure(repository, TANH, tanh=1000)
    measure(repository, RELU, TANH, relu=1000, tanh=1000)
    [first, second, both] = run_ids(repository)
    for arguments in ((first, second), (second, first), (first, both, "--filter", "tanh*")):
        done = repository.nsop("diff", *arguments, code=3)
        assert "no row is in both runs: nothing is compared" in done.stdout


def test_one_invocation_has_no_interval(repository):
    for _ in range(2):
        repository.commit("Only", relu=1000)
        options = ("--variant", "hwy", "--rounds", "1", "--quiet", "--worker", repository.build())
        repository.nsop("run", RELU, *options)
    done = repository.nsop("diff", "@last~1", "@last", code=3)
    assert "needs at least 2 invocations on each side" in done.stdout
    assert "n/a]" not in done.stdout and "[-100.0 %" not in done.stdout


def test_more_allocations_are_worse_whatever_the_time(repository):
    measure(repository, RELU, relu=1000)
    measure(repository, RELU, relu=1000, allocs=1)
    row = rows_of(repository.nsop("diff", "@last~1", "@last", "--json", code=1))[RELU]
    assert row["verdict"] == "worse" and row["time"]["verdict"] != "worse"
    assert row["note"].startswith("time: ")


def test_another_toolchain_is_said(repository):
    measure(repository, RELU, relu=1000, compiler="gcc 12")
    measure(repository, RELU, relu=1500, compiler="gcc 13")
    done = repository.nsop("diff", "@last~1", "@last", code=1)
    assert "1 rows were compiled as gcc 12, then as gcc 13: a change may come from that" in (
        done.stdout
    )


def test_another_host_is_refused(repository):
    measure(repository, RELU, relu=1000)
    measure(repository, RELU, relu=1500)
    other = "0" * 64
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        [ours] = db.execute("SELECT id FROM host").fetchone()
        db.execute(
            "INSERT INTO host SELECT ?1, cpu_model, replace(body, id, ?1) FROM host", (other,)
        )
        db.execute(
            "UPDATE run SET host_id = ?1, body = replace(body, ?2, ?1) WHERE seq = 1", (other, ours)
        )
        [run] = db.execute("SELECT id FROM run WHERE seq = 1").fetchone()
    done = repository.nsop("diff", run, "@last", "--json", code=3)
    assert rows_of(done)[RELU]["verdict"] == "incomparable"
    assert "measured on different hosts" in done.stdout
    assert "between runs of one build" not in done.stdout, "nothing is claimed of its noise"


@pytest.mark.slow
def test_a_run_that_ended_early_and_a_gate_are_told_from_runs(repository):
    measure(repository, RELU, TANH, relu=1000, tanh=1000)
    measure(repository, RELU, relu=1000, tanh=1000, note=1)
    abort(repository, 2)
    ids = run_ids(repository)
    done = repository.nsop("diff", *ids, code=3)
    assert f"{ids[1][:8]} is aborted: rows that it didn't reach" in done.stdout
    gate = ("gate", RELU, "--base", "HEAD~1", "--rounds", "6", "--layouts", "1", "--budget", "0s")
    repository.nsop(*gate, code=None)
    for command in (("diff", ids[0], "@last"), ("report", "@last")):
        line = one_line(repository.nsop(*command, code=2))
        assert "is a gate, which has two builds: `nsop report --gate" in line
    refused = repository.nsop("baseline", "set", "v1", "--reason", "released", code=2)
    assert "is a gate, which has two builds: `nsop list runs` shows" in one_line(refused)
    assert json.loads(repository.nsop("baseline", "list", "--json").stdout)["baselines"] == []
