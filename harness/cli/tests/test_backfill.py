"""nsop backfill over a repository whose truth is known: a past for a new machine."""

import contextlib
import json
import signal
import sqlite3
import time

import pytest

from harness.cli.testing.repository_support import LOG_SUITE, RELU, ROOT
from harness.cli.tests.conftest import one_line
from nsop_report import model

SHORT = ("--variant", "hwy", "--rounds", "2")


def backfill(repository, *arguments, code=0):
    """What became of each commit, newest first, and the answer as it is."""
    words = ("backfill", RELU, *SHORT, "--json", *arguments)
    answer = json.loads(repository.nsop(*words, code=code).stdout)
    return [(one["subject"], one["state"]) for one in answer["commits"]], answer


def points(repository, *arguments):
    shown = repository.nsop("history", RELU, "--json", *arguments)
    return json.loads(shown.stdout)["rows"][0]["points"]


def runs(repository):
    return json.loads(repository.nsop("list", "runs", "--json").stdout)["runs"]


@pytest.fixture
def commits(repository):
    """Four commits, of which the third doesn't build and the last is slower."""
    made = [repository.commit(f"Number {i}", relu=1000) for i in range(2)]
    made.append(repository.commit("Break it", broken=1))
    made.append(repository.commit("Mend it", relu=1200))
    return made


def test_old_commits_get_their_places_in_the_history(repository, commits):
    became, answer = backfill(repository, "--from", commits[0])
    assert became == [
        ("Mend it", "measured"),
        ("Break it", "skipped"),
        ("Number 1", "measured"),
        ("Number 0", "measured"),
    ]
    assert "broken on purpose" in answer["commits"][1]["why"]
    assert answer["reference"] == commits[3]
    assert [len(session["rounds"]) for session in answer["sessions"]] == [2, 2, 2]
    assert all(abs(session["ratio"] - 1) < 0.01 for session in answer["sessions"])
    line = points(repository)
    assert [p["commit"] for p in line] == [commits[0], commits[1], commits[3]]
    assert [round(p["ns"], -2) for p in line] == [1000, 1000, 1200]
    assert all(p["backfilled"] and not p["left_out"] for p in line)
    assert line[0]["started"] >= line[2]["started"], "the newest was measured first"


def test_a_second_call_measures_what_is_missing(repository, commits):
    dry, _ = backfill(repository, "--from", commits[0], "--dry-run")
    assert [state for _, state in dry] == ["to measure"] * 4
    assert not (repository.folder / "nsop.db").exists()
    became, _ = backfill(repository, "--from", commits[0], "--every", "2", "--to", commits[1])
    assert became == [("Number 1", "measured"), ("Number 0", "measured")]
    dry, _ = backfill(repository, "--from", commits[0], "--dry-run")
    assert [state for _, state in dry] == ["to measure", "to measure", "there", "there"]
    assert len(runs(repository)) == 4, "a run for each commit, and one of the reference beside it"
    shown = repository.nsop("backfill", RELU, *SHORT, "--from", commits[0])
    assert "1 measured, 2 there before, 1 skipped; the reference" in shown.stderr
    assert "does not build" in shown.stdout and "there" in shown.stdout


def test_an_interrupt_keeps_what_is_complete(repository, commits):
    child = repository.start("backfill", RELU, *SHORT, "--from", commits[0], "--quiet")
    complete = "SELECT count(*) FROM run WHERE state = 'complete' AND origin = 'measured'"
    stored = 0
    while stored == 0:
        assert child.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.01)
        with contextlib.suppress(sqlite3.OperationalError):
            with contextlib.closing(
                sqlite3.connect(f"file:{repository.folder}/nsop.db?mode=ro", uri=True)
            ) as db:
                stored = db.execute(complete).fetchone()[0]
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    before = {run["run"] for run in runs(repository) if run["state"] == "complete"}
    became, _ = backfill(repository, "--from", commits[0])
    assert became[0] == ("Mend it", "there")
    assert became[-1] == ("Number 0", "measured")
    assert before <= {run["run"] for run in runs(repository)}


@pytest.mark.slow
def test_a_new_machine_has_its_twelve_nights(repository):
    made = [repository.commit(f"Number {i}", relu=1000) for i in range(12)]
    backfill(repository, "--from", made[0], "--to", made[10], "--history", repository.history)
    options = (*SHORT, "--worker", repository.build(), "--history", repository.history)
    judged = json.loads(repository.nsop("check", RELU, *options, "--json").stdout)
    assert judged["open"] == [] and judged["suspects"] == []
    for path in repository.folder.glob("nsop.db*"):
        path.unlink()  # a machine that is thrown away
    line = points(repository, "--history", repository.history)
    assert [p["commit"] for p in line] == made
    assert [p["backfilled"] for p in line] == [True] * 11 + [False]
    became, _ = backfill(
        repository, "--from", made[0], "--history", repository.history, "--dry-run"
    )
    assert [state for _, state in became] == ["there"] * 12


@pytest.mark.slow
def test_releases_are_measured_for_the_tracking_log(repository, tmp_path):
    (repository.root / "harness/suites").mkdir(parents=True)
    (repository.root / "harness/suites/log.toml").write_text(LOG_SUITE)
    (repository.root / "CHANGELOG.md").write_text("# Changelog\n")
    (repository.root / "reports").symlink_to(ROOT / "reports")
    made = [repository.commit(f"Number {i}", relu=1000 + 100 * i) for i in range(5)]
    (repository.root / "nsop-releases.toml").write_text(
        f'[[release]]\nname = "v1"\ncommit = "{made[1][:8]}"\n'
    )
    words = ("backfill", "--suite", "log", "--rounds", "6", "--from", made[0], "--every", "4")
    done = repository.nsop(*words)
    measured = [line.split()[0] for line in done.stdout.splitlines()[1:] if line]
    assert measured == [made[i][:12] for i in (4, 1, 0)]
    [report] = [line for line in done.stderr.splitlines() if "nsop report" in line]
    newest = report.split()[2]
    repository.nsop("report", newest, "--suite", "log", "--out", tmp_path / "out")
    table = model.load(tmp_path / "out/log.json")["sections"][0]["tables"][0]
    release = [column["id"] for column in table["columns"]].index("release")
    assert [row["cells"][release]["text"] for row in table["rows"]] == ["v1", "this run"]


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        ([RELU], 2, "--from is required"),
        (["--from", "HEAD~1"], 2, "give --suite or case lines"),
        ([RELU, "--from", "nothing"], 2, "'nothing' is no revision"),
        ([RELU, "--from", "HEAD~1", "--to", "nothing"], 2, "'nothing' is no revision"),
        ([RELU, "--from", "HEAD~1", "--reference", "nothing"], 2, "'nothing' is no revision"),
        ([RELU, "--from", "HEAD", "--to", "HEAD~1"], 2, "is no ancestor of --to"),
        ([RELU, "--from", "HEAD"], 2, "an empty range"),
        ([RELU, "--from", "HEAD~1", "--every", "0"], 2, "--every"),
        (["--suite", "nothing", "--from", "HEAD~1"], 2, "unknown suite 'nothing'"),
        (["rleu n=1", "--from", "HEAD~1"], 2, "did you mean 'relu'?"),
        ([RELU, "--from", "HEAD~1", "--worker", "x"], 2, "each with its own worker"),
        ([RELU, "--from", "HEAD~1", "--trust", "pr"], 2, "makes no history"),
        ([RELU, "--from", "HEAD~1", "--profile", "quik"], 2, "quick"),
    ],
)
def test_bad_input_gets_one_line(repository, arguments, code, words):
    repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000)
    assert words in one_line(repository.nsop("backfill", *arguments, code=code))


def test_without_a_repository_it_says_so(repository, tmp_path):
    (repository.root / ".git").rename(tmp_path / "git")
    done = repository.nsop(
        *("backfill", RELU, "--from", "HEAD~1"),
        code=5,
        env={"GIT_CEILING_DIRECTORIES": str(tmp_path)},
    )
    assert "no git repository" in one_line(done)


def test_a_reference_that_does_not_build_ends_it(repository, commits):
    words = ("backfill", RELU, *SHORT, "--from", commits[0], "--reference", commits[2], "--quiet")
    assert "--reference names another" in one_line(repository.nsop(*words, code=5))
    assert runs(repository) == []
