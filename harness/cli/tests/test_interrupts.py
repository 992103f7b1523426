"""Runs that are interrupted or killed: what was finished stays, and a resumed run completes it."""

import contextlib
import json
import signal
import sqlite3
import subprocess
import time

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.repository_support import BIN, RELU, ROOT

pytestmark = pytest.mark.faults


def stored_invocations(nsop):
    """How many the database holds; looked at while nsop is writing."""
    path = nsop.environment["NSOP_DB"]
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM invocation").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # not there yet, or being recovered


def start_and_wait_for(nsop, arguments, stored, stderr=None):
    """Starts nsop; returns when it goes on running with more than `stored` invocations stored."""
    child = subprocess.Popen(
        [BIN / "nsop", *arguments],
        cwd=ROOT,
        env=nsop.environment,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
    )
    while stored_invocations(nsop) <= stored:
        assert child.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.005)
    return child


def test_a_resumed_run_finds_its_peers_again(nsop):
    command = ["run", RELU, "--variant", "hwy", "--variant", "numpy", "--rounds", "8", "--quiet"]
    child = start_and_wait_for(nsop, command, stored=4)
    child.send_signal(signal.SIGINT)
    assert child.wait(30) == 130
    nsop("run", "--resume", "--quiet")
    (run,) = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert run["state"] == "complete" and int(run["ok"]) == 2 * 8 + 1, "NumPy isn't counted"


def test_an_interrupted_run_keeps_what_it_finished_and_resumes(nsop):
    child = start_and_wait_for(nsop, ["run", RELU, "--rounds", "12", "--quiet"], stored=8)
    child.send_signal(signal.SIGINT)
    assert child.wait(30) == 130
    before = json.loads(nsop("list", "runs", "--json").stdout)["runs"][0]
    assert before["state"] == "aborted" and int(before["ok"]) > 0
    nsop("run", "--resume", "--quiet")
    after = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert len(after) == 1 and after[0]["state"] == "complete"
    assert int(after[0]["ok"]) == 3 * 13  # elementwise, hwy, layer
    assert "nothing to resume" in one_line(nsop("run", "--resume", code=2))
    assert "complete: nothing" in one_line(nsop("run", "--resume", after[0]["run"], code=2))


def test_a_database_that_stays_locked_ends_a_run_that_can_go_on(nsop):
    nsop.environment["NSOP_DB_TIMEOUT_MS"] = "100"
    command = ["run", RELU, "--variant", "hwy", "--rounds", "40", "--quiet"]
    child = start_and_wait_for(nsop, command, stored=4, stderr=subprocess.PIPE)
    path = nsop.environment["NSOP_DB"]
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        _, said = child.communicate(timeout=60)
    assert child.returncode == 5 and "go on with `nsop run --resume" in said, said
    nsop.environment.pop("NSOP_DB_TIMEOUT_MS")
    nsop("run", "--resume", "--quiet")
    (run,) = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert run["state"] == "complete" and int(run["ok"]) == 41


@pytest.mark.parametrize(
    ("row", "code", "said"),
    [("crash", 1, "signal 9"), ("lacks", 3, "no row was measured: nothing can be said of any")],
)
def test_a_run_of_which_no_row_was_measured_is_no_success(repository, row, code, said):
    repository.commit("relu does not run", relu=row)
    command = ["run", RELU, "--variant", "hwy", "--rounds", "1", "--worker", repository.build()]
    done = repository.nsop(*command, code=code)
    assert said in done.stdout + done.stderr


def _stored(nsop):
    """Ids of all stored invocations, straight from an export of every run."""
    ids = []
    for run in json.loads(nsop("list", "runs", "--json").stdout)["runs"]:
        for line in nsop("export", run["run"]).stdout.splitlines():
            record = json.loads(line)
            if record["type"] == "invocation":
                ids.append(line)
    return ids


@pytest.mark.slow
def test_twenty_kills_lose_nothing_that_was_finished(nsop):
    stored = set()
    rows = ("--variant", "hwy", "--variant", "elementwise")  # whichever peers are installed
    # The other profiles take rounds away when a busy machine exceeds their time.
    unbounded = ("--profile", "full", "--rounds", "300", "--min-time", "2ms", "--warmup", "2ms")
    kills = 20
    for kill in range(kills):
        command = ["run", RELU, *rows, *unbounded] if kill == 0 else ["run", "--resume"]
        child = start_and_wait_for(nsop, [*command, "--quiet"], stored=len(stored))
        time.sleep(0.0137 * kill)  # at another place of the loop every time
        child.kill()
        assert child.wait() == -signal.SIGKILL, "it must still have been running"
        assert "0 problems" in nsop("db", "verify").stdout
        now = set(_stored(nsop))
        assert stored <= now, "nothing that was stored may go or change"
        assert len(now) > len(stored), "every stretch must have stored something"
        stored = now
    nsop("run", "--resume", "--quiet")
    runs = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert [r["state"] for r in runs] == ["complete"]
    final = _stored(nsop)
    measured = [line for line in final if json.loads(line)["status"] == "ok"]
    assert stored <= set(final) and len(measured) == 2 * 301
    print(f"{kills} kills: {len(stored)} invocations were stored before the last, none is lost")
