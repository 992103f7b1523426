"""What looks back on stored runs reads their summaries, never what was measured in the past."""

import sqlite3

import pytest

from harness.cli.testing.repository_support import RELU, TANH


@pytest.fixture
def runs(repository):
    """Four runs, the last of which is slower, and nights of all."""
    for relu in (1000, 1001, 1000, 1100):
        repository.commit(f"Let relu take {relu}", relu=relu, tanh=1000)
        options = ("--variant", "hwy", "--rounds", "6", "--quiet", "--worker", repository.build())
        repository.nsop("run", RELU, TANH, *options)
    return repository


def forget(repository, newest):
    """Invocations of all runs but the newest say nothing any more."""
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        changed = db.execute(
            "UPDATE invocation SET samples = NULL, wall_ns_per_op = 1, shape = NULL, body = '{' "
            "WHERE run <= (SELECT max(seq) FROM run) - ?",
            (newest,),
        )
        assert changed.rowcount > 0


def says_the_same(repository, words, newest):
    """Whether or not the past can be read."""
    before = repository.nsop(*words, code=None)
    assert before.returncode in (0, 1, 3) and before.stdout, before.stderr
    forget(repository, newest)
    after = repository.nsop(*words, code=before.returncode)
    assert (after.stdout, after.stderr) == (before.stdout, before.stderr)


@pytest.mark.parametrize(
    ("words", "newest"),
    [
        (("diff", "@last~1", "@last", "--all"), 2),
        (("diff", "@last~1", "@last", "--json"), 2),
        (("history", RELU), 0),
        (("history", "relu *"), 0),
        (("history", "*", "--json"), 0),
        (("list", "runs"), 0),
    ],
)
def test_the_past_is_read_from_summaries(runs, words, newest):
    says_the_same(runs, words, newest)


def test_a_night_is_judged_without_the_samples_of_the_past(runs):
    worker = ("--worker", runs.root / "build/release/bin/nsop-worker")
    history = ("--history", runs.history)
    says_the_same(runs, ("check", "--run", "@last", "--suspects-only", *worker, *history), 1)
