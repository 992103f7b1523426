"""What nsop check, bisect and alert can't judge, said plainly: every bad input has its line and its
exit code, and nothing counts as "same"."""

import json
import sqlite3
from datetime import datetime, timedelta, timezone

import pytest

from harness.cli.testing.repository_support import BIN, RELU, SmallRepository

pytestmark = pytest.mark.faults

STEPPED_CLOCK = BIN / "libnsop_stepped_clock.so"


@pytest.fixture
def suspicious(repository):
    """Fifteen nights at one commit, then one that is slower."""

    def make(**speed):
        first = repository.commit("First", relu=1000)
        repository.check(code=3)
        repository.nights([first] * 15)
        repository.forget_measurements()
        return first, repository.commit("Second", **dict({"relu": 1100}, **speed))

    return make


def inconclusive(done):
    return json.loads(done.stdout)["unresolved"]


def test_a_dirty_build_is_no_night(repository):
    repository.commit("First", relu=1000, dirty=True)
    done = repository.check(code=3)
    assert "uncommitted changes" in done.stderr and "commit them" in done.stderr
    assert not repository.history.exists()


def test_only_complete_runs_of_commits_make_nights(repository):
    repository.commit("First", relu=1000, dirty=True)
    worker = repository.build()
    run = ("run", RELU, "--variant", "hwy", "--rounds", "2", "--quiet", "--worker", worker)
    check = ("check", "--run", "@last", "--worker", worker, "--history", repository.history)
    repository.nsop(*run)
    assert "uncommitted changes" in repository.nsop(*check, code=3).stderr
    repository.commit("Second", relu=1000)
    worker = repository.build()
    repository.nsop(*run, "--trust", "pr")
    assert "is of a pull request" in repository.nsop(*check, code=2).stderr
    with sqlite3.connect(repository.folder / "nsop.db") as db:
        [[run]] = db.execute("SELECT id FROM run WHERE trust = 'pr'")
        db.execute("UPDATE run SET state = 'aborted'")
    check = [run if word == "@last" else word for word in check]
    assert "is aborted: finish it" in repository.nsop(*check, code=3).stderr
    assert not repository.history.exists()


def test_without_git_suspects_stay_inconclusive(suspicious, repository, tmp_path):
    suspicious()
    worker = repository.build()
    (repository.root / ".git").rename(tmp_path / "git")
    done = repository.nsop(
        *("check", RELU, "--variant", "hwy", "--rounds", "6", "--worker", worker),
        *("--history", repository.history, "--json"),
        code=3,
        env={"GIT_CEILING_DIRECTORIES": str(tmp_path)},
    )
    assert "no git" in done.stderr
    [one] = inconclusive(done)
    assert "no git repository" in one["reason"]


def test_a_shallow_clone_says_what_to_fetch(suspicious, repository, tmp_path):
    suspicious()
    shallow = SmallRepository(tmp_path / "clone")
    shallow.root.rename(tmp_path / "unused")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(shallow.root))
    repository.history.rename(shallow.history)
    [one] = inconclusive(shallow.check("--json", code=3))
    assert "git fetch --unshallow" in one["reason"]


def test_a_revision_that_does_not_build_is_named_with_its_error(repository):
    first = repository.commit("First", relu=1000)
    bad = repository.commit("Break the build", broken=1)
    search = ("bisect", RELU, "--good", first, "--layouts", "1")
    done = repository.nsop(*search, "--bad", bad, code=5)
    assert f"commit {bad[:12]} does not build: CMake Error" in done.stderr
    assert "speed.json:1: error: broken on purpose" in done.stderr
    done = repository.nsop(*search, "--step", code=125)
    assert f"commit {bad[:12]} does not build" in done.stderr


@pytest.mark.slow
def test_a_case_that_one_side_lacks_is_never_the_same(repository):
    first = repository.commit("First", relu="lacks")
    second = repository.commit("Add relu", relu=1000)
    third = repository.commit("Lose it", relu="lacks")
    search = ("bisect", RELU, "--layouts", "1", "--budget", "0s", "--json")
    done = repository.nsop(*search, "--good", first, "--bad", second, code=3)
    assert "can't be measured itself" in done.stderr and "no such op" in done.stderr
    found = json.loads(repository.nsop(*search, "--good", second, "--bad", third).stdout)
    assert found["first_bad"] == third and "no such op" in found["change"]
    repository.git("checkout", "-q", second)
    repository.nsop(*search, "--step", "--good", first, code=125)


def test_a_base_of_another_protocol_is_inconclusive(suspicious, repository):
    first, _ = suspicious()
    # The nights were measured by a worker that could; built again, it no longer can.
    cache = repository.kept_build(first)
    cache.mkdir(parents=True)
    (cache / "worker-0").write_text("#!/bin/sh\nexit 1\n")
    (cache / "worker-0").chmod(0o755)
    (cache / "libnsop_alloc.so").write_text("")
    (cache / "objects.sha256").write_text("\n")
    [one] = inconclusive(repository.check("--json", code=3))
    assert f"commit {first[:12]} can't be measured" in one["reason"]


@pytest.mark.slow
def test_a_machine_too_noisy_decides_nothing(suspicious, repository):
    _, second = suspicious(spread=0.4)
    repository.nights([second] * 8, day=20, relu=1100)
    done = repository.check("--json", code=3)
    assert inconclusive(done)
    assert json.loads(done.stdout)["open"] == []


def test_a_clock_that_went_back_is_refused(suspicious, repository):
    first, _ = suspicious()
    soon = (datetime.now(timezone.utc) + timedelta(hours=20)).strftime("%Y-%m-%dT%H:%M:%SZ")
    repository.nights([first], day=20, change={"started_utc": soon})
    done = repository.check(code=3)
    assert "set the clock" in done.stderr and "wait until then" in done.stderr
    assert f"run 00000020 of this host began {soon}" in done.stderr


@pytest.mark.skipif(not STEPPED_CLOCK.exists(), reason="a sanitizer build has no preload")
def test_a_clock_that_is_set_while_a_night_is_measured_is_said(repository):
    repository.commit("First", relu=1000, set_clock=["relu", -7200])
    clock = {
        "LD_PRELOAD": str(STEPPED_CLOCK),
        "NSOP_TEST_CLOCK": str(repository.folder / "clock"),
    }
    done = repository.check(code=3, env=clock)
    assert "the clock went back by 7200 s while measuring" in done.stderr
    # The night counts from its beginning on, which the next one, two hours early, is told.
    done = repository.check(code=3, env=clock)
    assert "set the clock" in done.stderr and "nothing was measured" in done.stderr
    assert len(list(repository.history.glob("2*"))) == 1


def test_a_single_night_from_the_future_is_left_out(suspicious, repository):
    first, second = suspicious()
    far = {"started_utc": "2999-01-01T00:00:00Z"}
    repository.nights([first], day=20, change=far)
    done = repository.check("--suspects-only", "--json", code=3)
    assert "run 00000020 of this host began 2999-01-01T00:00:00Z, later than now" in done.stderr
    assert "it is left out" in done.stderr
    assert json.loads(done.stdout)["commit"] == second
    shown = repository.nsop("history", RELU, "--history", repository.history)
    assert "left out: later than now" in shown.stdout
    repository.nights([first], day=21, change=dict(far, started_utc="2999-01-02T00:00:00Z"))
    done = repository.check("--suspects-only", code=3)
    assert "(and 1 more later ones): set the clock" in done.stderr
    assert "take their files out of the folder" in done.stderr


def test_a_damaged_history_is_bad_data(suspicious, repository):
    suspicious()
    path = sorted(repository.history.glob("2*"))[3]
    path.write_text(path.read_text().replace('"invocations":6', '"invocations":7'))
    done = repository.check(code=4)
    assert f"{path}:3: the file was changed or damaged" in done.stderr
    path.write_text(path.read_text()[:200])
    assert "truncated" in repository.check(code=4).stderr


def test_a_pull_request_makes_no_history(repository):
    repository.commit("First", relu=1000)
    assert "makes no history" in repository.check("--trust", "pr", code=2).stderr


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["alert", "list"], 2, "no database yet"),
        (["alert", "show", "abcd", "--history", "."], 2, "no alert is called 'abcd'"),
        (["alert", "accept", "abcd", "--history", "."], 2, "--reason"),
        (["history", "relu"], 2, "no database yet"),
        (["history", "relu", "--history", "."], 2, "no run of host"),
        (["history", "relu", "--history", ".", "--host", "ffff"], 2, "no such host"),
        (["check", RELU, "--known", "/nowhere"], 2, "/nowhere: no such file"),
        (["check", RELU, "--budget", "soon"], 2, "expected a time like"),
        (["bisect", RELU], 2, "--good"),
        (["bisect", RELU, "--good", "nothing"], 2, "'nothing' is no revision"),
        (["bisect", "rleu n=1", "--good", "HEAD"], 2, "did you mean 'relu'?"),
        (["bisect", RELU, "--good", "HEAD"], 2, "nothing to search"),
        (["bisect", RELU, "--good", "nothing", "--step"], 125, "can't judge"),
        (["bisect", "--step"], 125, "required"),
    ],
)
def test_refusals_say_what_where_and_what_to_do(repository, arguments, code, message):
    repository.commit("First", relu=1000)
    done = repository.nsop(*arguments, code=code)
    assert message in done.stderr and done.stdout == ""


def test_a_step_of_git_bisect_is_never_bad_by_mistake(repository):
    """git takes any code from 1 to 127 but 125 for "bad": a commit whose nsop.toml is broken."""
    repository.commit("First", relu=1000)
    (repository.root / "nsop.toml").write_text("db = [\n")
    done = repository.nsop("bisect", RELU, "--good", "HEAD", "--step", code=125)
    assert "nsop.toml" in done.stderr
    assert repository.nsop("bisect", RELU, "--good", "HEAD", code=2).stdout == ""


def test_a_search_says_that_uncommitted_changes_are_not_measured(repository):
    repository.commit("First", relu=1000)
    search = ("bisect", RELU, "--good", "HEAD")
    assert "uncommitted" not in repository.nsop(*search, code=2).stderr
    (repository.root / "worker.in").write_text("something else\n")
    assert "uncommitted changes are not measured" in repository.nsop(*search, code=2).stderr
