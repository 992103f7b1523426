"""nsop gate of workers that link the library. Times are made up: no test looks at a clock."""

import json

import pytest

from harness.cli.testing.repository_support import BIN, timed_controls, with_times
from harness.library.testing.project_support import (
    CASE,
    WORKER,
    call,
    changed,
    environment,
)


def gate_of(folder, code):
    """Verdicts of a gate of `a/boxblur-worker` and `b/boxblur-worker`; controls have made-up times,
    too."""
    sides = ["--base", folder / "a/boxblur-worker", "--head", folder / "b/boxblur-worker"]
    options = ["--adapter", "nsop", "--budget", "0s", "--json", CASE]
    env = environment(folder, NSOP_WORKER=str(timed_controls(folder / "c")))
    done = call(BIN / "nsop", "gate", *sides, *options, cwd=folder, env=env, code=code)
    rows = json.loads(done.stdout)["rows"]
    return {row["variant"]: row["verdict"] for row in rows if row["case"] == CASE}


@pytest.mark.slow
def test_a_gate_finds_a_slower_worker_and_calls_nothing_otherwise(boxblur, tmp_path):
    with_times(tmp_path / "a/boxblur-worker", boxblur / WORKER, 1, box_blur=1000)
    with_times(tmp_path / "b/boxblur-worker", boxblur / WORKER, 2, box_blur=1000)
    assert gate_of(tmp_path, code=0) == {"running": "same"}
    with_times(tmp_path / "b/boxblur-worker", boxblur / WORKER, 3, box_blur=1050)
    assert gate_of(tmp_path, code=1) == {"running": "worse"}


@pytest.mark.slow
def test_a_head_that_is_wrong_is_worse(boxblur, prefix, tmp_path):
    old, new = "sum += x[i + radius]", "sum += 1.001F * x[i + radius]"
    project, done = changed(prefix, tmp_path, "src/box_blur.cpp", old, new)
    assert done.returncode == 0, done.stderr
    with_times(tmp_path / "a/boxblur-worker", boxblur / WORKER, 1, box_blur=1000)
    with_times(tmp_path / "b/boxblur-worker", project / WORKER, 2, box_blur=1000)
    assert gate_of(tmp_path, code=1) == {"running": "worse"}


def test_nsop_toml_names_a_worker_and_its_cases(boxblur, nsop):
    cases = {f"box_blur n={n} r={r}" for n in (1000, 100000) for r in (1, 16)}
    listed = json.loads(nsop("list", "cases", "--json", cwd=boxblur).stdout)
    assert {one["case"] for one in listed["cases"]} == cases
    done = nsop("run", "--rounds", "3", "--json", cwd=boxblur)
    rows = json.loads(done.stdout)["rows"]
    assert {(row["case"], row["variant"]) for row in rows} == {
        (case, variant) for case in cases for variant in ("plain", "running")
    }
    assert all(row["status"] == "ok" for row in rows)
    assert "not compared" not in done.stdout


def test_a_worker_is_measured_alone(boxblur, nsop, tmp_path):
    other = '\n[[programs]]\nname = "other"\nadapter = "command"\nrun = "true"\n'
    toml = (boxblur / "nsop.toml").read_text().replace("./build/", f"{boxblur}/build/")
    (tmp_path / "nsop.toml").write_text(toml + other)
    [line] = nsop("run", code=5).stderr.splitlines()
    assert "boxblur is a worker" in line and "--program" in line
    listed = json.loads(nsop("list", "cases", "--program", "boxblur", "--json").stdout)
    assert len(listed["cases"]) == 4


def test_without_case_lines_there_is_nothing_to_measure(boxblur, nsop):
    worker = boxblur / WORKER
    [line] = nsop("run", "--adapter", "nsop", "--program", worker, code=2).stderr.splitlines()
    assert "give some" in line
    nsop("run", "--adapter", "nsop", "--program", worker, CASE, "--rounds", "3")
