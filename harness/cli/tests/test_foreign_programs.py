"""Programs of other projects, measured and judged as ours are: from any folder, with an nsop.toml
or two paths. No test looks at a clock: the programs make their times up."""

import json
import subprocess
from pathlib import Path

import pytest

from harness.cli.tests.conftest import one_line
from harness.cli.testing.foreign_support import gbench_program
from harness.cli.testing.repository_support import BIN, timed_controls

TIMES = {"BM_Copy<int>/8": 1000, "BM_Sort/100": 2000}
TEST_GBENCH = BIN / "nsop-test-gbench"
COPY = "bench name=BM_Copy<int>/8"
SORT = "bench name=BM_Sort/100"


def gate(nsop, folder, *arguments, **options):
    """A gate whose control rows have made-up times, too."""
    env = controls(nsop)
    return nsop("gate", "--budget", "0s", *map(str, arguments), cwd=folder, env=env, **options)


def controls(nsop):
    folder = Path(nsop.environment["NSOP_DB"]).parent / "controls"
    return {"NSOP_WORKER": str(timed_controls(folder))}


def verdicts(done):
    return {row["case"]: row["verdict"] for row in json.loads(done.stdout)["rows"] if "case" in row}


def two_programs(folder, head):
    base = gbench_program(folder / "a" / "bench", TIMES, seed=1)
    return ["--base", base, "--head", gbench_program(folder / "b" / "bench", head, seed=2)]


def test_a_slower_benchmark_is_found_and_the_other_is_the_same(nsop, tmp_path):
    sides = two_programs(tmp_path, dict(TIMES, **{"BM_Sort/100": 2100}))
    done = gate(nsop, tmp_path, *sides, "--adapter", "gbench", "--json", code=1)
    found = verdicts(done)
    assert found[SORT] == "worse" and found[COPY] == "same"
    assert not [
        r
        for r in json.loads(done.stdout)["rows"]
        if "bench" in r["case"] and "first op" in r["note"]
    ]
    text = nsop("report", "--gate", "@last", "--out", str(tmp_path / "gate.md"), cwd=tmp_path)
    assert text.returncode == 0
    assert "BM_Sort/100" in (tmp_path / "gate.md").read_text()


@pytest.mark.slow
def test_a_benchmark_that_is_gone_is_lost_and_another_is_new(nsop, tmp_path):
    sides = two_programs(tmp_path, {"BM_Copy<int>/8": 1000, "BM_New": 5})
    done = gate(nsop, tmp_path, *sides, "--adapter", "gbench", "--json", code=1)
    rows = {row["case"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows[SORT]["verdict"] == "worse" and "expected one of BM_Copy<int>" in rows[SORT]["note"]
    assert rows["bench name=BM_New"]["verdict"] == "new"


@pytest.mark.slow
@pytest.mark.parametrize("wrong, why", [("crash", "signal 9"), ("rubbish", "what it wrote")])
def test_a_benchmark_that_fails_in_the_head_is_no_time(nsop, tmp_path, wrong, why):
    sides = two_programs(tmp_path, dict(TIMES, **{"BM_Sort/100": wrong}))
    done = gate(nsop, tmp_path, *sides, "--adapter", "gbench", "--json", code=1)
    rows = {row["case"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows[SORT]["verdict"] not in ("same", "better")
    assert why in json.dumps(rows[SORT])
    assert rows[COPY]["verdict"] == "same"


def toml(folder, text):
    (folder / "nsop.toml").write_text(text)


def test_an_nsop_toml_is_all_that_a_project_needs(nsop, tmp_path):
    gbench_program(tmp_path / "out" / "bench", dict(TIMES, list=[*TIMES, "BM_Twice", "BM_Twice"]))
    toml(tmp_path, '[[programs]]\nname = "bench"\nadapter = "gbench"\nrun = "out/bench"\n')
    listed = nsop("list", "cases", "--json", cwd=tmp_path)
    assert [one["case"] for one in json.loads(listed.stdout)["cases"]] == [COPY, SORT]
    done = nsop("run", "--rounds", "6", cwd=tmp_path)
    assert "left out: bench name=BM_Twice: listed more than once" in done.stderr
    assert COPY in done.stdout
    rows = json.loads(nsop("run", "--rounds", "6", "--json", cwd=tmp_path).stdout)["rows"]
    assert {row["case"] for row in rows} == {COPY, SORT}
    for row in rows:
        assert "its output is not compared" in json.dumps(row)
    diff = nsop("diff", "@last~1", "@last", cwd=tmp_path, code=3)  # one build, two runs
    assert "2 rows: 2 inconclusive" in diff.stdout
    assert SORT in nsop("history", SORT, cwd=tmp_path, code=None).stdout
    nsop("report", "@last", "--out", str(tmp_path / "reports"), cwd=tmp_path)
    page = (tmp_path / "reports/bench.md").read_text()
    assert "# Benchmarks of bench" in page and "|BM_Sort/100|" in page
    assert "other library on" not in page and "not Release" not in page


def git(folder, *arguments):
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.mark.slow
def test_revisions_are_built_as_nsop_toml_says(nsop, tmp_path):
    project = tmp_path / "project"
    gbench_program(project / "source.py", TIMES, seed=1)
    toml(
        project,
        '[[programs]]\nname = "bench"\nadapter = "gbench"\nrun = "out/bench"\n'
        'build = ["mkdir -p out", "cp source.py out/bench"]\n',
    )
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    gbench_program(project / "source.py", dict(TIMES, **{"BM_Copy<int>/8": 1100}), seed=2)
    git(project, "commit", "-qam", "slower")
    done = gate(nsop, project, "--base", "HEAD~1", "--json", code=1)
    found = verdicts(done)
    assert found[COPY] == "worse" and found[SORT] == "same"
    (project / "source.py").write_text("broken")
    toml(project, (project / "nsop.toml").read_text().replace("cp source.py", "false; cp no"))
    failed = gate(nsop, project, "--base", "HEAD~1", code=5)
    assert failed.stderr.splitlines()[-1].startswith("nsop: commit ")
    assert "does not build" in failed.stderr.splitlines()[-1]


def commits(project, times):
    """A git repository with a commit for each of these times of BM_Copy."""
    project.mkdir()
    toml(
        project,
        '[[programs]]\nname = "bench"\nadapter = "gbench"\nrun = "out/bench"\n'
        'build = ["mkdir -p out", "cp source.py out/bench"]\n',
    )
    git(project, "init", "-q")
    for i, time in enumerate(times):
        gbench_program(project / "source.py", dict(TIMES, **{"BM_Copy<int>/8": time}), seed=i)
        git(project, "add", "-A")
        git(project, "commit", "-qm", f"commit {i}")


@pytest.mark.slow
def test_bisect_finds_the_commit_and_check_measures_the_night(nsop, tmp_path):
    project = tmp_path / "project"
    commits(project, [1000, 1000, 1000, 1100, 1100])
    found = nsop(
        "bisect",
        "--good",
        "HEAD~4",
        COPY,
        "--budget",
        "0s",
        "--json",
        cwd=project,
        env=controls(nsop),
    )
    assert json.loads(found.stdout)["subject"] == "commit 3"
    night = nsop("check", "--budget", "0s", cwd=project, code=3)
    assert "2 rows, 0 with a history that can be judged" in night.stdout + night.stderr
    gate(nsop, project, "--base", "HEAD~4", code=1)
    nsop("report", "--gate", "@last", "--out", str(tmp_path / "gate.md"), cwd=project)
    page = (tmp_path / "gate.md").read_text()
    assert "1 regression" in page and COPY in page and SORT not in page.split("### What")[0]


def test_what_a_command_prints_is_compared_between_the_sides(nsop, tmp_path):
    for side, text in (("a", "3.14"), ("b", "3.15")):
        folder = tmp_path / side
        folder.mkdir()
        (folder / "tool").write_text(f"#!/bin/sh\necho {text}\n")
        (folder / "tool").chmod(0o755)
    toml(
        tmp_path,
        '[[programs]]\nname = "tool"\nadapter = "command"\nrun = "./tool"\ncompare = "stdout"\n',
    )
    done = gate(nsop, tmp_path, "--base", "a", "--head", "b", "--rounds", "6", "--json", code=1)
    [row] = [row for row in json.loads(done.stdout)["rows"] if row["case"] == "tool name=run"]
    assert "wrong" in json.dumps(row)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["run", "--adapter", "gbanch"], "did you mean 'gbench'?"),
        (["run", "--adapter", "gbench"], "give the place of the program by --program"),
        (["run", "--adapter", "gbench", "--program", "no/where"], "no/where: no program there"),
        (["run", "--program", "other"], "names no such program"),
        (["gate", "--adapter", "gbench", "--base", "x", "--head", "y"], "x: no program there"),
    ],
)
def test_mistakes_are_one_line(nsop, tmp_path, arguments, words):
    assert words in one_line(nsop(*arguments, cwd=tmp_path, code=2))


def test_a_program_that_lists_nothing_or_is_no_benchmark_is_refused(nsop, tmp_path):
    empty = gbench_program(tmp_path / "bench", {"list": []})
    done = nsop("run", "--adapter", "gbench", "--program", str(empty), cwd=tmp_path, code=5)
    assert "lists no benchmark" in one_line(done)
    done = nsop("run", "--adapter", "gbench", "--program", "/bin/false", cwd=tmp_path, code=5)
    assert "exit status 1" in one_line(done)


@pytest.mark.slow
def test_a_real_program_against_itself_is_never_better_or_worse(nsop, tmp_path):
    program = BIN / "nsop-test-gbench"
    done = gate(
        nsop, tmp_path, "--adapter", "gbench", "--base", program, "--head", program,
        "--rounds", "8", "--json", code=None,
    )  # fmt: skip
    found = verdicts(done)
    assert len(found) >= 4
    assert not {"better", "worse", "lost", "new"} & set(found.values())


def allocations(nsop, folder, *arguments):
    rows = json.loads(nsop("run", "--rounds", "6", "--json", *arguments, cwd=folder).stdout)["rows"]
    return {row["case"]: row for row in rows}


def test_allocations_of_google_benchmarks_loops_are_counted(nsop, tmp_path):
    rows = allocations(nsop, tmp_path, "--adapter", "gbench", "--program", str(TEST_GBENCH))
    own = rows["nsop-test-gbench name=BM_Allocate/iterations:20"]
    assert (own["allocs_per_op"], own["bytes_per_op"]) == (3, 300)
    shared = rows["nsop-test-gbench name=BM_Allocate/two/iterations:20/threads:2"]
    assert shared.get("allocs_per_op") is None


def test_allocations_of_a_command_are_those_of_its_process(nsop, tmp_path):
    toml(
        tmp_path,
        f'[[programs]]\nname = "list"\nadapter = "command"\n'
        f'run = ["{TEST_GBENCH}", "--benchmark_list_tests"]\n',
    )
    [row] = allocations(nsop, tmp_path).values()
    assert row["allocs_per_op"] > 10 and row["bytes_per_op"] > 10000
