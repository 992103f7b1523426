"""A run in shards on a cluster of two virtual nodes."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import pytest

from harness.cli.testing.repository_support import BIN, RELU, ROOT, TANH
from harness.cli.tests.conftest import one_line

pytestmark = pytest.mark.faults
ENDLESS = ("--lock-wait", "600")  # the nodes are one machine: its lock lets one of them measure


def submit(nsop, cluster, *arguments, **options):
    words = arguments if "--resume" in arguments else (*arguments, *ENDLESS)
    return nsop("submit", *words, env=cluster.environment, **options)


def ids_of(text):
    lines = map(json.loads, text.splitlines())
    return {line["id"] for line in lines if line["type"] == "invocation"}


def wait_until(condition, seconds=120):
    for _ in range(int(seconds / 0.1)):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it didn't happen")


def test_an_array_and_a_merge_make_one_run(on_nodes, cluster, measured, tmp_path):
    folder = tmp_path / "parts"
    arguments = (*measured, "--shards", "4", "--nodes", "2", "--folder", folder)
    result = submit(on_nodes, cluster, *arguments, "--wait")
    assert [shard["state"] for shard in result["shards"]] == ["complete"] * 4
    assert {shard["node"] for shard in result["shards"]} <= {"n1", "n2"}
    (run,) = result["runs"]
    assert run["complete"] and run["known"] == 8 * 2 * 4, "the merge job had stored it"
    assert "not complete" not in (folder / "merge.log").read_text()


@pytest.mark.slow
def test_a_node_that_dies_costs_its_shard_only(nsop, on_nodes, cluster, measured, tmp_path):
    folder = tmp_path / "parts"
    submit(nsop, cluster, *measured, "--shards", "8", "--folder", folder)

    def on_n2():
        text = cluster.call("squeue", "-h", "-t", "R", "-o", "%K %N")
        return [line.split()[0] for line in text.splitlines() if line.endswith(" n2")]

    wait_until(lambda: [index for index in on_n2() if (folder / f"shard-{index}.db").exists()])
    (lost,) = on_n2()
    cluster.kill("n2")
    wait_until(lambda: not cluster.call("squeue", "-h", "-o", "%A"))
    text = (folder / "merge.log").read_text()
    assert "1 of 8 shards lack" in text and f"nsop submit --resume {folder}" in text
    assert [line for line in text.splitlines() if line.split()[:2] == [lost, "missing"]], text
    run = re.search(r"^run (\w{8}) on .*, not complete$", text, re.MULTILINE)[1]
    partly = ids_of(nsop("export", run).stdout)
    assert len(partly) == 7 * 2 * 4
    result = submit(on_nodes, cluster, "--resume", folder, "--wait")
    (whole_run,) = result["runs"]
    assert whole_run["complete"] and whole_run["run"].startswith(run)
    assert result["shards"][int(lost) - 1]["node"] == "n1"
    whole = ids_of(nsop("export", run).stdout)
    assert len(whole) == 8 * 2 * 4 and partly < whole, "nothing is lost or measured twice"
    assert len(nsop("list", "runs").stdout.splitlines()) == 2
    assert nsop("db", "verify").stdout.endswith("0 problems\n")
    print(f"node killed: 1 of 8 shards measured again, {len(partly)} invocations kept")


def test_what_slurm_refuses_is_one_line_and_goes_on(nsop, on_nodes, cluster, tmp_path):
    relu = "relu pass=forward n=100 range=-3:3"
    for number, (option, said) in enumerate(
        ((("--partition", "none"), "partition"), (("--constraint", "zen9"), "feature"))
    ):
        folder = tmp_path / f"parts-{number}"
        arguments = (relu, "--shards", "1", "--folder", folder, "--quiet", *option)
        line = one_line(submit(nsop, cluster, *arguments, code=5))
        assert "sbatch refuses" in line and said in line.lower() and "--resume" in line, line
        assert (folder / "submission.json").is_file()
    line = one_line(submit(nsop, cluster, "--resume", folder, "--quiet", code=5))
    assert "sbatch refuses" in line, "the feature is asked for again"
    right = ("--resume", folder, "--partition", "bench", "--constraint", "", "--wait")
    result = submit(on_nodes, cluster, *right)
    assert [shard["state"] for shard in result["shards"]] == ["complete"]


@contextlib.contextmanager
def beside(nsop, cluster, *arguments):
    """`nsop submit --wait` while something else happens: what it said until then, and its end."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [BIN / "nsop", "submit", *arguments, "--wait", *ENDLESS],
            env=dict(nsop.environment, **cluster.environment),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )

        def text():
            said.seek(0)
            return said.read()

        try:
            yield text, lambda: process.wait(timeout=120)
        finally:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_nodes_that_are_down_are_named_and_waited_for(nsop, cluster, measured, tmp_path):
    for node in ("n1", "n2"):
        cluster.kill(node)
    arguments = (*measured, "--shards", "2", "--folder", tmp_path / "parts")
    with beside(nsop, cluster, *arguments) as (said, end):
        wait_until(lambda: "waits" in said())
        cluster.again("n2")
        assert end() == 0, "n1 stays down: one node measures all"
        text = said()
    reasons = re.findall(r"^job \d+ waits: (.*)$", text, re.MULTILINE)
    assert [one for one in reasons if "are DOWN" in one or "UnavailableNodes:n[1-2]" in one], text
    assert len(reasons) == len(set(reasons)), text
    (run,) = json.loads(nsop("merge", tmp_path / "parts", "--json").stdout)["runs"]
    assert run["complete"]


def test_a_job_that_never_starts_is_one_line(nsop, on_nodes, cluster, tmp_path):
    folder = tmp_path / "parts"
    case = ("relu pass=forward n=100 range=-3:3", "--shards", "1", "--folder", folder)
    done = submit(nsop, cluster, *case, "--time", "120", "--wait", "--quiet", code=5)
    line = one_line(done)
    assert "never starts: PartitionTimeLimit" in line and "--resume" in line
    cluster.call("scancel", *re.search(r"scancel ([\d ]+)", line)[1].split())
    wait_until(lambda: not cluster.call("squeue", "-h"))
    result = submit(on_nodes, cluster, "--resume", folder, "--time", "30", "--wait")
    assert [shard["state"] for shard in result["shards"]] == ["complete"]


def set_most_jobs(cluster, count):
    path = pathlib.Path(cluster.environment["SLURM_CONF"])
    text = re.sub(r"MaxJobCount=\d+", f"MaxJobCount={count}", path.read_text())
    path.write_text(text)
    cluster.call("scontrol", "reconfigure")


@pytest.mark.slow
def test_a_full_queue_is_one_line_and_goes_on(nsop, on_nodes, cluster, measured, tmp_path):
    folder = tmp_path / "parts"
    set_most_jobs(cluster, 4)
    arguments = (*measured, "--shards", "8", "--folder", folder, "--quiet")
    line = one_line(submit(nsop, cluster, *arguments, code=5))
    assert "sbatch refuses" in line and "queue is full" in line and "--resume" in line
    assert "retrying" not in line
    set_most_jobs(cluster, 40)
    result = submit(on_nodes, cluster, "--resume", folder, "--wait")
    assert [shard["state"] for shard in result["shards"]] == ["complete"] * 8


def refuse_merges(folder):
    """A search path on which sbatch is Slurm's, but takes no job that waits for another one."""
    folder.mkdir()
    (folder / "sbatch").write_text(
        "#!/bin/sh\n"
        'case "$*" in *--dependency*) echo "sbatch: error: no more jobs" >&2; exit 1 ;; esac\n'
        f'exec {shutil.which("sbatch")} "$@"\n'
    )
    (folder / "sbatch").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_a_merge_that_is_refused_leaves_an_array_that_is_known(
    nsop, on_nodes, cluster, measured, tmp_path
):
    folder = tmp_path / "parts"
    environment = dict(cluster.environment, **refuse_merges(tmp_path / "path"))
    arguments = (*measured, "--shards", "2", "--folder", folder, "--quiet", *ENDLESS)
    with open(tmp_path / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tasks run, and measure nothing yet
        line = one_line(nsop("submit", *arguments, code=5, env=environment))
        (array,) = json.loads((folder / "submission.json").read_text())["jobs"]
        assert f"array job {array} measures all the same" in line and "nsop merge" in line
        wait_until(lambda: cluster.call("squeue", "-h", "-t", "R", "-o", "%A").count("\n") == 1)
        cluster.call("scancel", f"{array}_2")  # the one that has the array's number for its own
        wait_until(lambda: cluster.call("squeue", "-h", "-o", "%A") not in ("", array))
        wait_until(lambda: "\n" not in cluster.call("squeue", "-h", "-o", "%A"))
        done = submit(nsop, cluster, "--resume", folder, code=2)
        assert f"job {array} still waits or runs" in done.stderr
    wait_until(lambda: not cluster.call("squeue", "-h"))
    result = submit(on_nodes, cluster, "--resume", folder, "--wait")
    assert [shard["state"] for shard in result["shards"]] == ["complete"] * 2


def test_jobs_that_still_wait_are_not_submitted_twice(nsop, cluster, measured, tmp_path):
    folder = tmp_path / "parts"
    for node in ("n1", "n2"):
        cluster.call("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    submit(nsop, cluster, *measured, "--shards", "2", "--folder", folder)
    done = submit(nsop, cluster, "--resume", folder, code=2)
    assert "still waits or runs" in done.stderr


def test_a_gate_sends_both_arms_of_a_row_to_one_node(repository, cluster, tmp_path):
    folder = tmp_path / "parts"
    repository.commit("First", relu=1000, tanh=1000)
    repository.commit("Slow down", relu=1200, tanh=1000)
    sides = ("--base", "HEAD~1", "--layouts", "1", "--budget", "0s", *ENDLESS)
    words = ("gate", RELU, TANH, *sides, "--nodes", "2", "--folder", folder, "--wait", "--json")
    done = repository.nsop(*words, code=1, env=cluster.environment)
    result = json.loads(done.stdout[done.stdout.index("{") :])
    assert {row["case"]: row["verdict"] for row in result["rows"]} == {RELU: "worse", TANH: "same"}
    assert {row["node"] for row in result["rows"]} <= {"n1", "n2"}
    assert "2 rows: 1 same, 1 worse" in (folder / "merge.log").read_text()
