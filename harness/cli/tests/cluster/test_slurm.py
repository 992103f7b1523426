"""A run in shards on a cluster of two virtual nodes."""

import json
import re
import time

import pytest

from harness.cli.testing.repository_support import RELU, TANH
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
