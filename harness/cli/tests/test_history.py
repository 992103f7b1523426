"""nsop history over nights of several branches, hosts and toolchains, whose truth is known."""

import json
import re
from xml.etree import ElementTree

import pytest

from harness.cli.testing.repository_support import RELU


@pytest.fixture
def nights(repository):
    """Three commits and 24 nights, of which the last twelve, at the third, are 10 % slower."""
    commits = [repository.commit("First", relu=1000)]
    repository.check(code=3)  # a model for the nights
    commits += [
        repository.commit("Tidy up", relu=1000),
        repository.commit("Rewrite relu", relu=1100),
    ]
    repository.nights([commits[0]] * 6 + [commits[1]] * 6)
    repository.forget_measurements()
    repository.nights([commits[2]] * 12, day=13, relu=1100)
    return commits


def history(repository, *arguments, code=0):
    return repository.nsop("history", *arguments, "--history", repository.history, code=code)


def row(repository, *arguments):
    [one] = json.loads(history(repository, RELU, "--json", *arguments).stdout)["rows"]
    return one


def test_a_change_of_level_is_named_with_its_commit(repository, nights):
    one = row(repository)
    [change] = one["changes"]
    assert (change["point"], change["commit"]) == (12, nights[2])
    assert change["lo"] < 1.1 < change["hi"]
    assert [p["commit"] for p in one["points"]] == [nights[0]] * 6 + [nights[1]] * 6 + (
        [nights[2]] * 12
    )
    shown = history(repository, RELU).stdout.splitlines()
    assert len(shown[1]) == 24 and shown[1][0] < shown[1][-1]  # the line of blocks
    [changed] = [line for line in shown if "level changed by +" in line]
    assert nights[2][:12] in changed


def test_nights_of_other_branches_and_late_releases_are_marked_and_count_for_nothing(
    repository, nights
):
    repository.git("checkout", "-q", "-b", "experiment", nights[1])
    tried = repository.commit("Try something", relu=1500)
    repository.git("checkout", "-q", "main")
    repository.nights([tried] * 8, day=25, relu=1500)
    repository.nights([nights[0]], day=33, relu=1500)
    one = row(repository)
    because = [p["left_out_because"] for p in one["points"]]
    assert because == [None] * 24 + ["of another branch"] * 8 + ["measured after later commits"]
    assert [p["left_out"] for p in one["points"]] == [False] * 24 + [True] * 9
    assert [change["point"] for change in one["changes"]] == [12]

    done = history(repository, RELU)
    assert "9 runs are left out: not on the way to HEAD" in done.stderr
    assert done.stdout.count("left out: of another branch") == 8
    assert done.stdout.splitlines()[1].endswith("·" * 9)

    other = row(repository, "--branch", "experiment")
    because = [p["left_out_because"] for p in other["points"]]
    assert because == [None] * 12 + ["of another branch"] * 12 + [None] * 8 + [
        "measured after later commits"
    ]
    assert [change["commit"] for change in other["changes"]] == [tried]
    done = repository.nsop(
        "history", RELU, "--branch", "nosuch", "--history", repository.history, code=2
    )
    assert "nosuch" in done.stderr and done.stdout == ""


def test_an_overview_says_what_the_newest_night_of_the_branch_said(repository):
    first = repository.commit("First", relu=1000)
    repository.check(code=3, cases=("relu pass=forward n=64,65 range=-3:3",))
    repository.nights([first] * 3)
    repository.git("checkout", "-q", "-b", "experiment")
    tried = repository.commit("Try something", relu=9000)
    repository.git("checkout", "-q", "main")
    repository.forget_measurements()
    repository.nights([tried], day=10, relu=9000)
    done = history(repository, "relu")
    assert "1 run is left out" in done.stderr
    lines = done.stdout.splitlines()[-2:]
    assert "n=64 " in lines[0] and "n=65 " in lines[1]
    assert all(re.search("[▄▅]{3}·", line) and "9.0" not in line for line in lines)


def test_each_host_has_a_history_of_its_own(repository, nights):
    model = json.loads(sorted(repository.history.glob("2*"))[0].open().readline())
    other = dict(model["host"], id="f" * 64, cpu_model="Other CPU")
    repository.nights([nights[2]] * 3, day=40, change={"host": other}, relu=5000)
    assert len(row(repository)["points"]) == 24
    points = row(repository, "--host", "ffff")["points"]
    assert len(points) == 3 and all(p["ns"] > 4000 for p in points)

    text = history(repository, RELU, "--host", "all").stdout
    assert text.count("host ") == 2 and "host ffffffff (Other CPU)" in text
    assert len(re.findall("level changed by", text)) == 1  # never from one host to the other
    answer = json.loads(history(repository, RELU, "--host", "all", "--json").stdout)
    assert sorted(len(host["rows"][0]["points"]) for host in answer["hosts"]) == [3, 24]
    assert "Other CPU" in [host["cpu_model"] for host in answer["hosts"]]
    plot = history(repository, RELU, "--host", "all", "--plot", "x.svg", code=2)
    assert "--plot draws a row of one host" in plot.stderr
    none = history(repository, "tanh pass=forward n=*", "--host", "all", code=2)
    assert "no run of host" in none.stderr or "no row" in none.stderr
    for path in repository.history.glob("2*"):
        if json.loads(path.open().readline())["host"]["id"] != other["id"]:
            path.unlink()
    done = repository.nsop("history", "relu", "--history", repository.history, code=2)
    assert "no run of host" in done.stderr
    assert "--host: ffffffff (Other CPU)" in done.stderr


def test_a_toolchain_after_a_failed_night_begins_a_segment(repository, nights):
    before = json.loads(sorted(repository.history.glob("2*"))[-1].open().readline())["toolchain"]
    repository.nights([nights[2]] * 3, day=26, change={"toolchain": "clang"}, relu=2000)
    repository.nights([nights[2]], day=25, change={"toolchain": before}, failed=True)
    begins = [p["new_segment"] for p in row(repository)["points"]]
    assert begins == [False] * 25 + [True, False, False]
    assert history(repository, RELU).stdout.count("a new segment") == 1


def test_without_git_every_night_counts(repository, nights, tmp_path):
    (repository.root / ".git").rename(tmp_path / "git")
    done = repository.nsop(
        *("history", RELU, "--json", "--history", repository.history),
        env={"GIT_CEILING_DIRECTORIES": str(tmp_path)},
    )
    answer = json.loads(done.stdout)
    assert answer["head"] is None
    assert not any(p["left_out"] for p in answer["rows"][0]["points"])


def test_a_history_is_drawn(repository, nights, tmp_path):
    file = tmp_path / "relu.svg"
    done = history(repository, RELU, "--plot", file)
    assert done.stdout == ""
    drawn = ElementTree.parse(file)
    texts = "".join(drawn.getroot().itertext())
    assert nights[2][:12] in texts and "+10." in texts
    repository.check(code=None, cases=(RELU.replace("n=64", "n=65"),))
    two = history(repository, "relu pass=forward n=* range=-3:3", "--plot", file, code=2)
    assert "--plot draws one row, these are 2" in two.stderr
