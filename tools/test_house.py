"""The house rules hold for the project itself, and its front door opens."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TARGETS = """help setup build package peers dev test test-full test-faults check format lint
coverage check-arm check-wasm bench-quick bench-comprehensive bench-full thresholds report
publish-reports track-releases gate gate-report perf-nightly site judge-eval judge-eval-full
judge-live-build judge-live learn-2048 check-generated clean""".split()


def run(*command):
    # These tests run under make, which would make an inner make announce its folders.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_layers_places_and_lengths():
    result = run(sys.executable, "tools/lint/run.py")
    assert result.returncode == 0, result.stdout


def test_shell_scripts_pass_shellcheck():
    listed = run(sys.executable, "tools/lint/list_files.py", ".sh").stdout.split()
    scripts = [*listed, ".ci/run", "tools/new_op", "tools/new_layer"]
    assert len(scripts) > 5
    result = run("shellcheck", *scripts)
    assert result.returncode == 0, result.stdout


def test_help_lists_every_target():
    listed = [line.split()[1] for line in run("make", "help").stdout.splitlines()]
    assert listed == TARGETS


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_commands(target):
    result = run("make", "-n", target)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


@pytest.mark.parametrize("target", TARGETS)
def test_only_publishing_writes_committed_reports(target):
    commands = run("make", "-n", target).stdout
    publishes = target == "publish-reports"
    assert ("--out reports/generated" in commands) == publishes
    assert ("readme_table.py" in commands) == publishes
    if "--out " in commands and not publishes:
        assert "--out build/" in commands


def test_a_threshold_is_written_outside_the_committed_reports(tmp_path):
    """What `make thresholds` runs, in a copy of what it reads, for a machine that is new."""
    line = next(one for one in run("make", "-n", "thresholds").stdout.splitlines() if ".py" in one)
    command = shlex.split(line[line.index("tools/") :].split(") ", 1)[1])
    report = tmp_path / next(word for word in command if word.endswith("threads.json"))
    for name in (command[0], "kernels/runtime/thresholds.h", "harness/suites/threads.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for folder in ("reports/generated", "reports/thresholds"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.svg"))
    measured = json.loads((ROOT / "reports/generated/threads.json").read_text())
    measured["host"]["stepping"] = 4711
    report.parent.mkdir(parents=True)
    report.write_text(json.dumps(measured))
    before = contents(tmp_path / "reports/generated")
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "reports/generated") == before
    assert len(list(tmp_path.glob("reports/thresholds/*-4711.json"))) == 1
    assert "stepping 4711" in (tmp_path / "kernels/runtime/thresholds.h").read_text()


def test_the_committed_reports_stay_light():
    sizes = [len(data) for data in contents(ROOT / "reports/generated").values()]
    assert len(sizes) > 20
    assert sum(sizes) <= 5_000_000


def test_publishing_renders_every_run_that_is_named():
    commands = run("make", "-n", "publish-reports", "RUN=1a2b 3c4d", "DB=x.db").stdout
    assert "for run in 1a2b 3c4d" in commands and "--db x.db" in commands


# What is run by `make test-faults`: whoever writes such a test marks its file.
ON_PURPOSE = re.compile(
    r"STEPPED_CLOCK|FAULTY_DISK|SIGKILL|child\.kill\(|HOSTILE|WRITERS|\"hang\"|stepped_clock"
    r"|(own|cluster)\.kill\(|\.cut_after\(|s3cr|at_once"
)
MARKED = re.compile(r"^(pytestmark = |    |@)pytest\.mark\.faults,?$", re.MULTILINE)


def test_every_test_of_faults_is_run_as_one():
    files = sorted((ROOT / "harness").rglob("test_*.py"))
    faults = [path for path in files if ON_PURPOSE.search(path.read_text())]
    assert len(faults) > 5
    unmarked = [path.name for path in faults if not MARKED.search(path.read_text())]
    assert unmarked == [], "not marked `faults`: tools/test_faults.sh would miss them"
    script = (ROOT / "tools/test_faults.sh").read_text()
    assert "-m faults" in script and "build/dev/harness/*/" in script and " -R " not in script


def test_lints_fail_on_a_problem(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/a.cpp").write_text('#include "harness/run/runner.h"\n')
    result = run(sys.executable, "tools/lint/run.py", str(tmp_path))
    assert result.returncode == 1
    assert "kernels/a.cpp:1:" in result.stdout
