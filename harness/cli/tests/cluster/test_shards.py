"""A run in shards, on the cores of this machine."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.cli.testing.repository_support import RELU as OF_REPOSITORY
from harness.cli.testing.repository_support import TANH
from harness.cli.tests.conftest import one_line

RELU = "relu pass=forward n=100 range=-3:3"


def merged(done):
    return json.loads(done.stdout)


def rows_of(nsop, run):
    lines = [json.loads(line) for line in nsop("export", run).stdout.splitlines()]
    return [line for line in lines if line["type"] == "invocation"]


def key_of(invocation):
    return tuple(sorted(invocation["row"].items()))


def test_shards_make_the_run_that_one_process_would(nsop, on_nodes, measured, tmp_path):
    folder = tmp_path / "parts"
    result = on_nodes("submit", *measured, "--shards", "4", "--local", "2", "--folder", folder)
    assert [shard["state"] for shard in result["shards"]] == ["complete"] * 4, result
    assert len({shard["node"] for shard in result["shards"]} - {""}) <= 2
    (run,) = result["runs"]
    assert run["complete"] and run["known"] == 0
    whole = nsop("run", *measured)
    assert "complete" in whole.stderr
    ours, theirs = rows_of(nsop, run["run"]), rows_of(nsop, "@last")
    assert {key_of(one) for one in ours} == {key_of(one) for one in theirs}
    assert len(ours) == len(theirs) == run["added"]
    sessions = {}
    for one in ours:
        sessions.setdefault(one["row"]["case"], set()).add(one["session"])
    assert all(len(shards) == 1 for shards in sessions.values()), "a case is in one shard"
    assert nsop("db", "verify").stdout.endswith("0 problems\n")
    reports = tmp_path / "pages"
    nsop("report", run["run"], "--suite", "activations", "--out", reports)
    nodes = {shard["node"] for shard in result["shards"]}
    page = (reports / "activations.md").read_text()
    assert all(f"{node} measured shard" in page for node in nodes), page
    again = on_nodes("merge", folder)
    assert again["doubts"] == result["doubts"]
    assert again["runs"][0]["added"] == 0 and again["runs"][0]["known"] == len(ours)


def test_a_shard_of_a_run_stands_alone_too(nsop, measured):
    for index in ("1/2", "2/2"):
        nsop("run", *measured, "--shard", index)
    cases = [{one["row"]["case"] for one in rows_of(nsop, run)} for run in ("@last", "@last~1")]
    assert len(cases[0] | cases[1]) == 8 and not cases[0] & cases[1]


@pytest.mark.slow
def test_what_lacks_is_named_and_measured_once(nsop, measured, tmp_path):
    folder = tmp_path / "parts"
    arguments = (*measured, "--shards", "3", "--local", "1", "--folder", folder)
    nsop("submit", *arguments)
    first = nsop("export", "@last").stdout
    (folder / "shard-2.ndjson").unlink()
    (folder / "shard-2.db").unlink()
    (folder / "shard-3.ndjson").write_text("{}\n")
    other = tmp_path / "other.db"
    done = nsop("merge", folder, "--db", other, code=4)
    assert "not begun" in done.stdout and "shard-3.ndjson" in done.stdout
    assert "2 of 3 shards lack" in done.stderr and "--resume" in done.stderr
    (partial,) = merged(nsop("merge", folder, "--db", other, "--json", code=4))["runs"]
    assert not partial["complete"] and partial["added"] == 0
    kept = nsop("export", partial["run"], "--db", other).stdout
    submission = json.loads((folder / "submission.json").read_text())
    submission["db"] = str(other)
    (folder / "submission.json").write_text(json.dumps(submission))
    done = nsop("submit", "--resume", folder, "--json")
    (run,) = merged(done)["runs"]
    assert run["complete"] and run["known"] > 0 and run["added"] > 0
    assert (folder / "shard-3.damaged-1.ndjson").read_text() == "{}\n"
    stored = nsop("export", run["run"], "--db", other).stdout
    ids = [json.loads(line)["id"] for line in kept.splitlines() if '"type":"invocation"' in line]
    assert ids and all(stored.count(one) == 1 for one in ids)
    assert first != stored


@pytest.mark.slow
def test_another_node_measures_a_shard_anew(nsop, measured, tmp_path):
    folder = tmp_path / "parts"
    nsop("submit", *measured, "--shards", "2", "--local", "1", "--folder", folder)
    (folder / "shard-1.ndjson").unlink()
    with contextlib.closing(sqlite3.connect(folder / "shard-1.db")) as stored, stored:
        stored.execute("UPDATE run SET state = 'aborted'")
    arguments = (*measured, "--shard", "1/2", "--into", folder)
    submission = json.loads((folder / "submission.json").read_text())
    seed = [one for one in submission["arguments"] if one.startswith("--seed")]
    done = nsop("run", *arguments, *seed, env={"NSOP_NODE": "elsewhere"})
    assert "measured anew" in done.stderr and "elsewhere" in done.stderr
    assert (folder / "shard-1.lost-1.db").is_file() and (folder / "shard-1.ndjson").is_file()
    done = nsop("run", *arguments, *seed)
    assert "measured already" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", RELU, "--shard", "3/2"), "expected I/N"),
        (("run", RELU, "--shard", "2/2"), "has nothing to measure"),
        (("run", RELU, "--shard", "1/2", "--into", "nowhere"), "no submission.json"),
        (("submit", RELU), "give --shards N"),
        (("submit", RELU, "--shards", "2"), "at least one for each shard"),
        (("submit", "relux n=1", "--shards", "1"), "relux"),
        (("submit", "--resume", "nowhere"), "no submission.json"),
        (("merge", "nowhere"), "no submission.json"),
        (("submit", RELU, "--shards", "1", "--local", "4000"), "this machine has"),
    ],
)
def test_bad_input_gets_one_line(nsop, tmp_path, arguments, said):
    done = nsop(*arguments, code=2, cwd=tmp_path, env={"NSOP_SUITES": ""})
    assert said in done.stderr.splitlines()[-1], done.stderr


def test_a_machine_without_slurm_says_what_to_do(nsop, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for program in ("python3", "git"):
        os.symlink(shutil.which(program), empty / program)
    arguments = ("submit", RELU, "--shards", "1", "--quiet", "--folder", tmp_path / "parts")
    line = one_line(nsop(*arguments, code=5, env={"PATH": str(empty)}))
    assert "sbatch isn't on the search path" in line and "--local" in line


@pytest.fixture
def fake_slurm(tmp_path):
    """Commands of Slurm's that take everything: what sbatch was given, and the environment."""
    folder, said = tmp_path / "fake", tmp_path / "sbatch.txt"
    folder.mkdir()
    for name, text in (("sbatch", f'echo "$@" >>{said}; wc -l <{said}'), ("squeue", ":")):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    yield lambda: said.read_text().splitlines(), {"PATH": f"{folder}:{os.environ['PATH']}"}


def change_submission(folder, **fields):
    submission = json.loads((folder / "submission.json").read_text())
    (folder / "submission.json").write_text(json.dumps(dict(submission, **fields)))


def test_a_node_that_was_set_aside_is_not_asked_again(nsop, fake_slurm, tmp_path):
    said, environment = fake_slurm
    folder = tmp_path / "parts"
    nsop("submit", RELU, "--shards", "1", "--folder", folder, env=environment)
    change_submission(folder, excluded=["n3", "n7"])
    nsop("submit", "--resume", folder, env=environment)
    first, _, second, merge = said()
    assert "--exclude" not in first and "--exclude=n3,n7" in second.split()
    assert "--exclude" not in merge, "a merge measures nothing"


def test_a_submission_keeps_how_many_nodes_it_may_have(nsop, fake_slurm, measured, tmp_path):
    said, environment = fake_slurm
    folder = tmp_path / "parts"
    arguments = (*measured, "--shards", "4", "--nodes", "3", "--folder", folder)
    nsop("submit", *arguments, env=environment)
    nsop("submit", "--resume", folder, env=environment)
    nsop("submit", "--resume", folder, "--nodes", "2", env=environment)
    nsop("submit", "--resume", folder, env=environment)
    arrays = [re.search(r"--array=\S+%(\d)", line) for line in said()]
    assert [found[1] for found in arrays if found] == ["3", "3", "2", "2"]


def test_what_goes_on_may_have_another_partition(nsop, fake_slurm, tmp_path):
    said, environment = fake_slurm
    folder = tmp_path / "parts"
    wrong = ("--partition", "bnech", "--constraint", "zen9")
    nsop("submit", RELU, "--shards", "1", "--folder", folder, *wrong, env=environment)
    right = ("--partition", "bench", "--constraint", "", "--time", "30")
    nsop("submit", "--resume", folder, *right, env=environment)
    nsop("submit", "--resume", folder, env=environment)
    lines = [[word for word in line.split() if "=" in word] for line in said()]
    assert {"--partition=bnech", "--constraint=zen9"} < set(lines[0]) & set(lines[1])
    for line in lines[2:]:
        assert {"--partition=bench", "--time=30"} < set(line)
        assert not [word for word in line if "bnech" in word or "constraint" in word]


@pytest.mark.parametrize(
    "option",
    [
        (RELU,),
        ("--shards", "2"),
        ("--suite", "layers"),
        ("--seed", "1"),
        ("--local", "1"),
        ("--folder", "x"),
        ("--db", "other.db"),
        ("--worker", "w"),
    ],
)
def test_what_goes_on_is_what_was_submitted(nsop, fake_slurm, tmp_path, option):
    said, environment = fake_slurm
    folder = tmp_path / "parts"
    nsop("submit", RELU, "--shards", "1", "--folder", folder, env=environment)
    done = nsop("submit", "--resume", folder, *option, code=2, env=environment)
    name = option[0] if option[0] != RELU else "cases"
    assert one_line(done).startswith(f"nsop: {name}: --resume measures what was submitted")
    assert len(said()) == 2


def test_what_is_measured_here_has_no_partition(nsop, tmp_path):
    arguments = ("submit", RELU, "--shards", "1", "--local", "1", "--folder", tmp_path / "parts")
    line = one_line(nsop(*arguments, "--partition", "bench", "--quiet", code=2))
    assert "--local this machine measures" in line
    assert not (tmp_path / "parts").exists()


def test_a_folder_with_something_in_it_is_left_alone(nsop, tmp_path):
    (tmp_path / "mine").write_text("x")
    done = nsop("submit", RELU, "--shards", "1", "--folder", tmp_path, code=2)
    assert "isn't empty" in done.stderr
    assert (tmp_path / "mine").read_text() == "x"


@pytest.mark.faults
def test_a_password_is_never_kept_in_the_folder(nsop, tmp_path):
    folder = tmp_path / "parts"
    for address in ("postgresql://bot:s3cret@db/perf", "postgresql://db/perf?password=s3cret"):
        arguments = ("submit", RELU, "--shards", "1", "--folder", folder, "--db", address)
        line = one_line(nsop(*arguments, code=2))
        assert "pgpass" in line and "s3cret" not in line
    assert not folder.exists()


@pytest.mark.faults
def test_merges_at_once_store_each_invocation_once(nsop, measured, tmp_path):
    folder = tmp_path / "parts"
    nsop("submit", *measured, "--shards", "3", "--local", "1", "--folder", folder)
    fresh = tmp_path / "fresh.db"
    with ThreadPoolExecutor(4) as merges:
        arguments = ("merge", folder, "--db", fresh, "--json")
        runs = [
            merged(done)["runs"][0] for done in merges.map(lambda _: nsop(*arguments), range(4))
        ]
    assert sorted(run["added"] for run in runs) == [0, 0, 0, 8 * 2 * 4]
    assert len({run["run"] for run in runs}) == 1
    assert nsop("db", "verify", "--db", fresh).stdout.endswith("0 problems\n")
    print(f"merges at once: {len(runs)} into a file, {8 * 2 * 4} invocations once each")


def gate_in_shards(repository, folder, *arguments, code):
    """Of two commits, of which the second makes relu slower."""
    repository.commit("First", relu=1000, tanh=1000)
    repository.commit("Slow down", relu=1200, tanh=1000)
    sides = ("--base", "HEAD~1", "--head", "HEAD", "--layouts", "1", "--budget", "0s")
    words = ("gate", OF_REPOSITORY, TANH, *sides, "--folder", folder, *arguments)
    return repository.nsop(*words, code=code)


def test_a_gate_in_shards_measures_both_arms_of_a_row_in_one(repository, tmp_path):
    folder = tmp_path / "parts"
    done = gate_in_shards(repository, folder, "--local", "2", "--json", code=1)
    result = merged(done)
    assert [shard["state"] for shard in result["shards"]] == ["complete"] * 2, done.stdout
    nodes = {row["case"]: row["node"] for row in result["rows"]}
    verdicts = {row["case"]: row["verdict"] for row in result["rows"]}
    assert verdicts == {OF_REPOSITORY: "worse", TANH: "same"}
    assert sorted(nodes.values()) == sorted(shard["node"] for shard in result["shards"])
    again = merged(repository.nsop("merge", folder, "--json", code=1))
    assert again["rows"] == result["rows"]
    assert len(repository.nsop("list", "runs").stdout.splitlines()) == 3
    table = repository.nsop("merge", folder, code=1).stdout
    assert "2 rows: 1 same, 1 worse" in table and set(nodes.values()) <= set(table.split())
    page = tmp_path / "gate.md"
    for run in result["runs"]:
        repository.nsop("report", "--gate", run, "--out", page)
        assert "nsop: " in page.read_text()


def test_a_shard_of_a_gate_that_lacks_is_measured_once(repository, tmp_path):
    folder = tmp_path / "parts"
    gate_in_shards(repository, folder, "--local", "2", code=1)
    kept = (folder / "shard-1.ndjson").read_text()
    published = (folder / "shard-2.ndjson").read_text()
    (folder / "shard-2.ndjson").unlink()
    lacking = repository.nsop("merge", folder, code=None)
    assert lacking.returncode in (1, 3)
    assert f"1 of 2 shards lack; `nsop submit --resume {folder}`" in lacking.stderr
    resumed = merged(repository.nsop("submit", "--resume", folder, "--json", code=1))
    assert [shard["state"] for shard in resumed["shards"]] == ["complete"] * 2
    assert (folder / "shard-1.ndjson").read_text() == kept
    assert (folder / "shard-2.ndjson").read_text() == published, "it was complete: nothing is lost"
    assert not (folder / "shard-2.lost-1.db").exists()
    (folder / "shard-2.ndjson").unlink()
    with contextlib.closing(sqlite3.connect(folder / "shard-2.db")) as stored, stored:
        stored.execute("UPDATE run SET state = 'aborted'")
    repository.nsop("submit", "--resume", folder, code=1)
    assert (folder / "shard-2.lost-1.db").exists(), "a gate doesn't go on"
    words = ("gate", OF_REPOSITORY, "--base", "HEAD~1", "--shard", "1/2", "--into", tmp_path)
    assert "no submission" in one_line(repository.nsop(*words, code=2))
