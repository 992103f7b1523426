"""nsop gate where something is wrong: repositories, builds, workers, signals, neighbours. Each says
what, where and what to do, has the right exit code and leaves nothing half-written."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.repository_support import BIN, RELU, ROOT, TANH

ONCE = ("--layouts", "1", "--budget", "0s", "--lock-wait", "60")
SHORT = ("--rounds", "6", *ONCE)
STEPPED_CLOCK = BIN / "libnsop_stepped_clock.so"
pytestmark = pytest.mark.faults


def builds(repository):
    return repository.folder / "cache/nsop/builds"


def left_behind(repository):
    """Unfinished builds."""
    return list(builds(repository).glob("*.incoming"))


def verdicts(done):
    rows = json.loads(done.stdout)["rows"]
    return {row["case"]: row["verdict"] for row in rows if not row["control"]}


def start(repository, *arguments):
    return subprocess.Popen(
        [BIN / "nsop", "gate", *arguments],
        cwd=repository.root,
        env=repository.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(condition, child):
    for _ in range(2000):
        if condition():
            return
        assert child.poll() is None, child.communicate()
        time.sleep(0.02)
    raise AssertionError("it never came to that")


def test_the_base_may_not_fail_unnoticed(repository):
    """Crashes and garbage of the base are no verdict, those of the head are worse."""
    repository.commit("Sick", relu="crash", tanh="garbage")
    repository.commit("Well", relu=1000, tanh=1000)
    command = ("gate", RELU, TANH, *SHORT)
    done = repository.nsop(*command, "--base", "HEAD~1", code=3)
    first = done.stdout.splitlines()[0]
    assert first.startswith("not judged: the base failed on 2 of 2 rows, e.g. ")
    assert "--inconclusive=pass" in first
    repository.nsop(*command, "--base", "HEAD~1", "--inconclusive", "pass", code=0)
    done = repository.nsop(*command, "--base", "HEAD", "--head", "HEAD~1", "--json", code=1)
    assert verdicts(done) == {RELU: "worse", TANH: "worse"}
    notes = [row["note"] for row in json.loads(done.stdout)["rows"] if not row["control"]]
    assert "signal 9" in notes[0] and "not the protocol" in notes[1]


@pytest.mark.slow
def test_the_merge_base_of_diverged_branches_is_the_base(repository):
    """What only the base branch has is no change of the head: main got faster meanwhile."""
    common = repository.commit("Common", relu=1000)
    repository.git("checkout", "-q", "-b", "topic")
    head = repository.commit("Another name", relu=1000, compiler="gcc")
    repository.git("checkout", "-q", "main")
    repository.commit("Faster", relu=800)
    command = ("gate", RELU, "--base", "main", "--head", "topic", "--json", *ONCE)
    assert verdicts(repository.nsop(*command, code=1)) == {RELU: "worse"}
    done = repository.nsop(*command, "--merge-base", code=None)
    answer = json.loads(done.stdout)
    assert (answer["base"]["commit"], answer["head"]["commit"]) == (common, head)
    assert verdicts(done)[RELU] not in ("worse", "better")


@pytest.mark.slow
def test_a_machine_too_noisy_to_judge_is_described(repository):
    repository.commit("First", relu=1000, spread=0.4)
    repository.commit("Second", relu=1001, spread=0.4)
    command = ("gate", RELU, "--base", "HEAD~1", "--seed", "1", *ONCE)
    done = repository.nsop(*command, code=3)
    last = [line for line in done.stdout.splitlines() if line.startswith("too noisy to judge; ")]
    assert len(last) == 1
    assert re.search(
        r"the machine before: paired SD [\d.]+ %, .* preempted, .* stolen, load", last[0]
    )
    probe = json.loads(repository.nsop(*command, "--json", code=3).stdout)["probe"]
    assert probe["noisy"] is True and probe["paired_sd"] > 0.05 and probe["failure"] == ""


def test_a_clock_of_a_worker_that_goes_back_is_no_time(repository):
    repository.commit("First", relu=1000)
    repository.commit("Back", relu=1000, wall=-5)
    command = ("gate", RELU, *SHORT, "--json")
    done = repository.nsop(*command, "--base", "HEAD~1", code=1)
    assert verdicts(done) == {RELU: "worse"}
    assert "a repetition: wall_ns is -5, expected 1 to 2^53" in done.stdout
    done = repository.nsop(*command, "--base", "HEAD", "--head", "HEAD~1", code=3)
    assert verdicts(done)[RELU] != "same"


@pytest.mark.slow
@pytest.mark.skipif(not STEPPED_CLOCK.exists(), reason="a sanitizer build has no preload")
@pytest.mark.parametrize("seconds, said", [(7200, "ahead by 7200 s"), (-7200, "back by 7200 s")])
def test_a_clock_that_is_set_while_measuring_is_said_and_changes_nothing(repository, seconds, said):
    """The worker sets it when its row is measured first, after the probe of the machine."""
    repository.commit("First", tanh=1000)
    repository.commit("Second", tanh=1000, set_clock=["tanh", seconds])
    clock = repository.folder / "clock"
    env = {"LD_PRELOAD": str(STEPPED_CLOCK), "NSOP_TEST_CLOCK": str(clock)}
    done = repository.nsop("gate", TANH, "--base", "HEAD~1", *ONCE, "--json", env=env)
    assert clock.read_text() == str(seconds)
    assert f"the clock went {said} while measuring" in done.stderr
    assert verdicts(done) == {TANH: "same"}
    assert json.loads(done.stdout)["seconds"] < 3600, "the budget is of another clock"
    assert "0 problems" in repository.nsop("db", "verify").stdout
    [run] = json.loads(repository.nsop("list", "runs", "--json").stdout)["runs"]
    assert run["state"] == "complete"


@pytest.mark.slow
def test_a_worker_that_hangs_costs_its_row(repository):
    repository.commit("First", relu=1000, tanh=1000)
    repository.commit("Hangs", relu="hang", tanh=1000)
    done = repository.nsop("gate", RELU, "--base", "HEAD~1", *SHORT, "--json", code=1)
    assert verdicts(done) == {RELU: "worse"}
    assert "gave no answer within" in done.stdout


def test_a_worker_that_does_not_start_is_the_fault_of_its_side(repository):
    repository.commit("Old", protocol=7)
    repository.commit("New", relu=1000)
    command = ("gate", RELU, *SHORT, "--quiet")
    line = one_line(repository.nsop(*command, "--base", "HEAD~1", code=3))
    assert line.startswith("nsop: the base (HEAD~1) can't be measured: worker died at 'hello'")
    for said, code in (("pass", 0), ("fail", 1), ("report", 3)):
        repository.nsop(*command, "--base", "HEAD~1", "--inconclusive", said, code=code)
    line = one_line(repository.nsop(*command, "--base", "HEAD", "--head", "HEAD~1", code=1))
    assert line.startswith("nsop: the head (HEAD~1) can't be measured: worker died")
    assert not (repository.folder / "nsop.db").exists()


def test_a_commit_from_before_there_was_a_worker_is_the_fault_of_its_side(repository):
    presets = repository.root / "CMakePresets.json"
    text = presets.read_text()
    presets.unlink()
    old = repository.commit("Old")
    presets.write_text(text)
    repository.commit("New", relu=1000)
    command = ("gate", RELU, *SHORT, "--quiet")
    line = one_line(repository.nsop(*command, "--base", "HEAD~1", code=3))
    assert line == (
        f"nsop: the base (HEAD~1) can't be measured: commit {old[:12]} has no nsop-worker to build"
    )
    line = one_line(repository.nsop(*command, "--base", "HEAD", "--head", "HEAD~1", code=1))
    assert line.startswith("nsop: the head (HEAD~1) can't be measured: commit")
    assert left_behind(repository) == []
    step = ("bisect", RELU, "--step", "--good", old, "--layouts", "1")
    assert "has no nsop-worker" in repository.nsop(*step, code=125).stderr


def test_a_commit_that_does_not_build_leaves_nothing(repository):
    repository.commit("First", relu=1000)
    commit = repository.commit("Broken", broken=1)
    line = one_line(repository.nsop("gate", RELU, "--base", "HEAD~1", *SHORT, "--quiet", code=5))
    assert f"commit {commit[:12]} does not build: " in line and "broken on purpose" in line
    assert left_behind(repository) == []
    assert not (repository.folder / "nsop.db").exists()


def test_uncommitted_changes_are_said_not_to_be_measured(repository):
    repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000, note=1)
    (repository.root / "speed.json").write_text('{"relu": 9000}\n')
    done = repository.nsop("gate", RELU, "--base", "HEAD~1", *SHORT, "--json", code=None)
    assert verdicts(done)[RELU] != "worse"
    assert "uncommitted changes are not measured" in done.stderr
    assert repository.git("status", "--porcelain") == "M speed.json"


def test_repositories_that_lack_what_was_named(repository, tmp_path):
    repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000)
    command = ("gate", RELU, "--base", "HEAD~1", *SHORT)
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{repository.root}", shallow], check=True
    )
    whole, repository.root = repository.root, shallow
    assert "the clone is shallow: git fetch --unshallow" in one_line(
        repository.nsop(*command, code=2)
    )
    shutil.rmtree(shallow / ".git")
    line = one_line(repository.nsop(*command, code=5))
    assert "no git repository" in line and "build folders" in line
    repository.root = whole
    no_git = one_line(repository.nsop(*command, env={"PATH": str(tmp_path)}, code=5))
    assert "git: can't be run" in no_git and "is it installed?" in no_git
    line = one_line(repository.nsop("gate", "relu rows=3", *command[2:], code=2))
    assert "unknown key 'rows'" in line
    assert not builds(repository).exists(), "it was refused before anything was built"
    line = one_line(repository.nsop(*command, "--db", tmp_path / "no/x.db", code=5))
    assert "x.db: can't be written" in line and "--db" in line


def test_a_misspelt_suite_is_refused_before_anything_is_built(repository):
    suites = repository.root / "harness/suites"
    suites.mkdir(parents=True)
    (suites / "curves.toml").write_text("")
    repository.commit("First", relu=1000)
    (suites / "short.toml").write_text("")
    repository.commit("Second", relu=1000)
    command = ("gate", "--base", "HEAD~1", "--suite", "crves", *SHORT)
    line = one_line(repository.nsop(*command, code=2))
    assert "unknown suite 'crves'; did you mean 'curves'? (suites: curves, short)" in line
    assert not builds(repository).exists()


def test_a_head_without_suites_takes_those_of_the_tool(repository):
    repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000)
    suites = repository.folder / "suites"
    suites.mkdir()
    head = '[report]\nname = "curves"\ntitle = "Curves"\nform = "before_after"\n'
    case = f'[[cases]]\nlabel = "ReLU"\ncase = "{RELU}"\n'
    (suites / "curves.toml").write_text(head + 'before = "elementwise"\nafter = "hwy"\n' + case)
    command = ("gate", "--base", "HEAD~1", "--suites", suites, "--suite", "crves", *SHORT)
    line = one_line(repository.nsop(*command, code=2))
    assert "unknown suite 'crves'; did you mean 'curves'? (suites: curves)" in line
    assert not builds(repository).exists()


def test_build_folders_need_no_git(repository, tmp_path):
    for name, ns in (("a", 1000), ("b", 1100)):
        repository.commit(name, relu=ns)
        repository.build()
        (repository.root / "build/release").rename(tmp_path / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "ninja", "sh"):
        (programs / name).symlink_to(shutil.which(name))
    shutil.rmtree(repository.root / ".git")
    arms = ("--base", tmp_path / "a", "--head", tmp_path / "b")
    path = {"PATH": str(programs)}
    done = repository.nsop("gate", RELU, *arms, *SHORT, "--json", env=path, code=1)
    assert verdicts(done) == {RELU: "worse"}


@pytest.mark.slow
def test_two_clones_share_the_builds_and_a_hook_may_ask(repository, tmp_path):
    """The folder where everything is built may be of another clone, that is gone; and git names its
    repository to the hooks that it runs."""
    first = repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000, note=1)
    command = ("gate", RELU, "--base", "HEAD~1", *SHORT)
    repository.nsop(*command, code=None)
    head = (repository.root / ".git/HEAD").read_text()
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", str(repository.root), other], check=True)
    shutil.rmtree(repository.root)
    repository.root = other
    repository.git("config", "user.email", "ada@example.org")
    repository.git("config", "user.name", "ada")
    third = repository.commit("Third", relu=1000, note=2)
    hook = {"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": str(other / ".git/index")}
    repository.nsop(*command, env=hook, code=None)
    assert (other / ".git/HEAD").read_text() == head, "the clone itself was checked out"
    assert repository.git("rev-parse", "HEAD") == third
    assert repository.git("status", "--porcelain") == ""
    # What an end with force leaves: a locked index, an unfinished build.
    (other / ".git/worktrees/tree/index.lock").write_text("")
    (builds(repository) / f"{first}-9.incoming").mkdir()
    shutil.rmtree(repository.kept_build(third))
    repository.nsop(*command, code=None)
    assert left_behind(repository) == []


@pytest.mark.parametrize("sign, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_build_with_all_its_processes(repository, sign, status):
    repository.commit("First", slow_build=1)
    repository.commit("Second", relu=1000)
    child = start(repository, RELU, "--base", "HEAD~1", *SHORT)
    mark = builds(repository) / "tree/build/release/building"
    wait_until(lambda: mark.exists() and mark.read_text(), child)
    child.send_signal(sign)
    assert child.wait(30) == status
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
    assert left_behind(repository) == []
    assert not (repository.folder / "nsop.db").exists()


def test_a_signal_while_measuring_leaves_a_run_that_says_so(repository):
    repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000, note=1)
    child = start(repository, RELU, "--base", "HEAD~1", "--rounds", "1000", *ONCE)

    def stored():
        done = repository.nsop("list", "runs", "--json", code=None)
        runs = json.loads(done.stdout)["runs"] if done.returncode == 0 else []
        return any(int(run["ok"]) > 2 for run in runs)

    wait_until(stored, child)
    child.send_signal(signal.SIGTERM)
    assert child.wait(30) == 143
    assert "interrupted; what was measured is stored as" in child.stderr.read()
    (run,) = json.loads(repository.nsop("list", "runs", "--json").stdout)["runs"]
    assert run["state"] == "aborted"
    database = repository.environment["NSOP_DB"]
    repository.root = ROOT  # where the renderer is
    report = repository.nsop(
        "report", "--gate", run["run"], "--db", database, "--format", "pull-request"
    )
    assert "## nsop: no verdict: the gate was interrupted" in report.stdout


@pytest.mark.slow
def test_two_gates_at_once_in_one_clone(repository):
    repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000, note=1)
    pair = [start(repository, RELU, "--base", "HEAD~1", "--json", *SHORT) for _ in range(2)]
    for child in pair:
        out, err = child.communicate(timeout=120)
        assert child.returncode in (0, 3), err
        assert json.loads(out)["layouts"] == 1
    assert len(json.loads(repository.nsop("list", "runs", "--json").stdout)["runs"]) == 2


@pytest.mark.parametrize(
    "option, value, message",
    [
        ("--seed", "-1", "a whole number from 0 to 4294967295"),
        ("--seed", "4294967296", "a whole number"),
        ("--seed", "1.5", "a whole number"),
        ("--lock-wait", "-1", "seconds from 0 to 1"),
        ("--lock-wait", "nan", "seconds from 0"),
        ("--rounds", "5", "not in range"),
        ("--layouts", "0", "not in range"),
        ("--layouts", "5", "5 link orders decide nothing"),
        ("--budget", "-5m", "expected a time like"),
        ("--budget", "inf", "expected a time like"),
    ],
)
def test_numbers_out_of_range_are_refused(repository, option, value, message):
    line = one_line(repository.nsop("gate", RELU, "--base", "x", f"{option}={value}", code=2))
    assert option in line and message in line
