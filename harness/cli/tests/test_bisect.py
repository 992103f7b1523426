"""nsop bisect over small repositories whose truth is known, also under `git bisect run`."""

import json
import subprocess

import pytest

from harness.cli.testing.repository_support import BIN, RELU


def search(repository, good, *arguments, code=0):
    done = repository.nsop(
        *("bisect", RELU, "--good", good, "--layouts", "1", "--budget", "0s"),
        *arguments,
        code=code,
    )
    return done


def test_finds_the_commit(repository):
    commits = [repository.commit(f"Step {i}", relu=1000 if i < 5 else 1040) for i in range(8)]
    found = json.loads(search(repository, commits[0], "--json").stdout)
    assert found["schema"] == "nsop.bisect/1"
    assert (found["last_good"], found["first_bad"]) == (commits[4], commits[5])
    assert found["subject"] == "Step 5" and found["candidates"] == []
    assert found["judged"] <= 3


@pytest.mark.slow
def test_a_commit_that_does_not_build_is_passed_over(repository):
    speeds = [dict(relu=1000), dict(relu=1000), dict(broken=1), dict(relu=900), dict(relu=900)]
    commits = [repository.commit(f"Step {i}", **speed) for i, speed in enumerate(speeds)]
    done = search(repository, commits[0], code=3)
    assert f"{commits[2][:12]}: can't be judged: commit {commits[2][:12]} does not build" in (
        done.stderr
    )
    assert f"first bad commit: {commits[3]} Step 3" in done.stdout
    assert f"or: {commits[2]}" in done.stdout


@pytest.mark.slow
def test_follows_first_parents(repository):
    first = repository.commit("First", relu=1000)
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit("Slow it down", relu=1200)
    repository.git("checkout", "-q", "main")
    repository.commit("Meanwhile", relu=1000, note=1)
    repository.git("merge", "-q", "-X", "theirs", "-m", "Merge topic", "topic")
    merge = repository.git("rev-parse", "HEAD")
    repository.commit("Afterwards", relu=1200, note=2)
    found = json.loads(search(repository, first, "--json").stdout)
    assert found["first_bad"] == merge


@pytest.mark.slow
def test_no_change_is_nothing_to_search_for(repository):
    first = repository.commit("First", relu=1000)
    repository.commit("Second", relu=1000, note=1)
    done = search(repository, first, code=3)
    assert "there is no change to search for" in done.stderr


def test_a_branch_that_is_no_ancestor_is_refused(repository):
    repository.commit("First", relu=1000)
    repository.git("checkout", "-q", "-b", "topic")
    topic = repository.commit("Topic", relu=1200)
    repository.git("checkout", "-q", "main")
    repository.commit("Second", relu=1200)
    done = search(repository, topic, code=2)
    assert "is no ancestor of HEAD" in done.stderr


@pytest.mark.slow
def test_works_as_git_bisect_run(repository):
    speeds = [1000, 1000, None, 1000, 1200, 1200]
    commits = [
        repository.commit(f"Step {i}", **({"broken": 1} if s is None else {"relu": s}), note=i)
        for i, s in enumerate(speeds)
    ]
    repository.git("bisect", "start", commits[-1], commits[0])
    done = subprocess.run(
        ["git", "bisect", "run", BIN / "nsop", "bisect", "--step", "--good", commits[0], RELU]
        + ["--layouts", "1", "--budget", "0s"],
        cwd=repository.root,
        env=repository.environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert f"{commits[4]} is the first bad commit" in done.stdout, done.stderr
