"""nsop gate end to end: real workers, a head that lost an op, refusals. No test looks at a time."""

import functools
import json
import os
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from harness.cli.testing.repository_support import RELU, SmallRepository

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin"
CASE = "relu pass=forward n=1000 range=-3:3"


def run_gate(folder, *arguments):
    """Runs `nsop gate` with a database and a lock of its own."""
    environment = dict(os.environ, NSOP_LOCK=str(folder / "lock"), XDG_CACHE_HOME=str(folder))
    command = [BIN / "nsop", "gate", *map(str, arguments)]
    command += ["--worker", BIN / "nsop-worker", "--db", folder / "gate.db"]
    command += [] if "--budget" in arguments else ["--budget", "0s"]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=240
    )


@pytest.fixture
def gate(tmp_path):
    return functools.partial(run_gate, tmp_path)


@pytest.fixture(scope="module")
def against_itself(tmp_path_factory):
    """A program against itself: the folder and what nsop said."""
    folder = tmp_path_factory.mktemp("itself")
    worker = BIN / "nsop-worker"
    return folder, run_gate(folder, "--base", worker, "--head", worker, CASE, "--json")


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    """A head that answers hello, then dies: only the first process of this program lives."""
    folder = tmp_path_factory.mktemp("crashed")
    flag = folder / "started"
    head = wrapped(folder / "head", f'[ -e "{flag}" ] && kill -9 $$\ntouch "{flag}"')
    return folder, run_gate(folder, "--base", BIN / "nsop-worker", "--head", head, CASE)


def wrapped(path, body):
    """A program that runs nsop-worker after `body`."""
    path.write_text(f'#!/bin/sh\n{body}\nexec "{BIN}/nsop-worker" "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_program_against_itself_is_never_better_or_worse(against_itself):
    folder, done = against_itself
    assert done.returncode in (0, 3), done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"] == "nsop.gate/1"
    verdicts = {row["case"]: row["verdict"] for row in answer["rows"]}
    assert set(verdicts.values()) <= {"same", "inconclusive"}
    assert len([row for row in answer["rows"] if row["control"]]) == 2
    with sqlite3.connect(folder / "gate.db") as db:
        assert db.execute("SELECT origin, state FROM run").fetchall() == [("gate", "complete")]
        stored = db.execute("SELECT count(*) FROM invocation WHERE phase = 'time'").fetchone()[0]
    assert stored == 2 * sum(len(row["first"]["log_ratios"]) for row in answer["rows"])


def test_a_head_that_crashes_is_worse(crashed):
    _, done = crashed
    assert done.returncode == 1, done.stderr
    assert "worse" in done.stdout
    assert "head: error" in done.stdout


@pytest.mark.slow
def test_a_stored_gate_is_reported_the_same_at_any_time(against_itself):
    folder, _ = against_itself

    def report(*arguments):
        command = [BIN / "nsop", "report", "--gate", "@last", "--db", folder / "gate.db"]
        return subprocess.run(
            [*command, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=60
        )

    starts = {"pull-request": "<!-- nsop:gate -->\n## nsop: ", "junit": "<?xml", "github": ""}
    for form, start in starts.items():
        once, twice = report("--format", form), report("--format", form)
        assert once.returncode == 0, once.stderr
        assert once.stdout == twice.stdout
        assert once.stdout.startswith(start)
    refused = report("--expect-head", "0" * 40)
    assert refused.returncode == 4
    assert "measured head unknown, expected 000" in refused.stderr


def test_a_row_that_the_head_lost_is_worse_and_one_it_gained_is_new(gate):
    ours, other = BIN / "nsop-worker", BIN.parent / "harness/worker/nsop-test-worker"
    done = gate("--base", ours, "--head", other, CASE, "--json")
    assert done.returncode == 1, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if not row["control"]]
    assert [row["verdict"] for row in rows] == ["worse"]
    assert rows[0]["note"].startswith("head: ")
    done = gate("--base", other, "--head", ours, CASE, "--json")
    assert done.returncode in (0, 3), done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if not row["control"]]
    assert [row["verdict"] for row in rows] == ["new"]


@pytest.mark.slow
def test_a_folder_of_link_orders_measured_for_a_fixed_number_of_rounds(gate, tmp_path):
    folder = tmp_path / "orders"
    folder.mkdir()
    for order in range(6):
        (folder / f"worker-{order}").symlink_to(BIN / "nsop-worker")
        if order == 1:
            done = gate("--base", folder, "--head", BIN / "nsop-worker", CASE)
            assert done.returncode == 2 and "2 link orders decide nothing" in done.stderr
    done = gate("--base", folder, "--head", folder, CASE, "--rounds", "7", "--json")
    assert done.returncode in (0, 3), done.stderr
    answer = json.loads(done.stdout)
    assert answer["layouts"] == 6
    for row in answer["rows"]:
        assert len(row["first"]["log_ratios"]) == 7
        assert row["second"] is None


@pytest.mark.slow
def test_link_orders_are_halved_between_the_sessions_where_there_are_enough(gate, tmp_path):
    for order in range(12):
        (tmp_path / f"worker-{order}").symlink_to(BIN / "nsop-worker")
    options = (CASE, "--time-identical", "--budget", "0s", "--json")
    done = gate("--base", tmp_path, "--head", tmp_path, *options)
    assert done.returncode in (0, 1, 3), done.stderr
    answer = json.loads(done.stdout)
    assert (answer["layouts"], answer["fresh_layouts"]) == (6, True)
    for row in answer["rows"]:
        assert {cluster for _, cluster in row["first"]["log_ratios"]} == set(range(6))


def test_a_suite_whose_cases_have_variants_of_their_own(gate):
    """`limits` measures the call of nothing, which has no kernel."""
    worker = BIN / "nsop-worker"
    arguments = ["--suite", "limits", "--filter", "stream kind=read n=3072", "--rounds", "6"]
    done = gate("--base", worker, "--head", worker, *arguments)
    assert done.returncode in (0, 3), done.stderr
    assert "stream kind=read n=3072" in done.stdout


def test_identical_builds_are_not_timed(gate, tmp_path):
    build = BIN.parent
    done = gate("--base", build, "--head", build)
    assert done.returncode == 0, done.stderr
    assert "identical" in done.stdout
    command = [BIN / "nsop", "report", "--gate", "@last", "--db", tmp_path / "gate.db"]
    report = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert "## nsop: the machine code is identical: no action needed" in report.stdout


def test_a_noisy_machine_is_refused_where_a_quiet_one_is_required(tmp_path):
    repository = SmallRepository(tmp_path)
    repository.commit("First", relu=1000, spread=0.4)
    repository.commit("Second", relu=1001, spread=0.4)
    command = ("gate", RELU, "--base", "HEAD~1", "--layouts", "1", "--budget", "0s")
    done = repository.nsop(*command, "--require-quiet", code=3)
    assert "the machine is noisy: paired SD" in done.stderr
    assert "stop other programs and try again" in done.stderr
    assert not (tmp_path / "nsop.db").exists()


@pytest.mark.slow
def test_an_exported_gate_is_judged_again_by_trusted_code(crashed, tmp_path):
    nsop, file = BIN / "nsop", tmp_path / "gate.ndjson"
    export = [nsop, "export", "@last", "--db", crashed[0] / "gate.db", "--out", file]
    subprocess.run(export, check=True, cwd=ROOT, capture_output=True)
    hook = wrapped(tmp_path / "hook", f'cp "$1" "{tmp_path}/comment.md"; exit 0')

    def report(*arguments, **environment):
        return subprocess.run(
            [ROOT / "tools/gate_report.sh", nsop, file, tmp_path / "out", *arguments],
            capture_output=True,
            text=True,
            env=dict(os.environ, COMMENT_HOOK=str(hook), GITHUB_ACTIONS="true", **environment),
        )

    summary = tmp_path / "summary.md"
    done = report(GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1, done.stderr
    assert "::error " in done.stdout
    assert "1 regression" in (tmp_path / "comment.md").read_text()
    assert "could have written any" in summary.read_text()
    assert '<error message="crashed: head: error' in (tmp_path / "out/gate.xml").read_text()
    status = wrapped(tmp_path / "status", f'echo "$1|$2" >"{tmp_path}/told"; exit 0')
    done = report(STATUS_HOOK=str(status), COMMENT_ID="quick")
    assert done.returncode == 0, "the status is what fails"
    assert (tmp_path / "told").read_text().startswith("failure|1 regression")
    assert (tmp_path / "comment.md").read_text().startswith("<!-- nsop:gate quick -->\n")
    assert report("0" * 40).returncode == 4
    file.write_text(file.read_text().replace('"iterations"', '"iterationz"', 1))
    assert report().returncode == 4


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (["--base", "no-such-branch"], 2, "'no-such-branch' is no revision"),
        (
            ["--base", "/bin/true", "--head", "/bin/true"],
            3,
            "the base (/bin/true) can't be measured",
        ),
        (["--base", "/etc"], 2, "no worker program there"),
        (["--base", "HEAD", "--budget", "soon"], 2, "expected a time like"),
        (["--base", "/bin/true", "--merge-base"], 2, "both sides must be revisions"),
        ([], 2, "--base"),
    ],
)
def test_refusals_say_what_where_and_what_to_do(gate, arguments, status, message):
    done = gate(*arguments)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert done.stdout == ""
