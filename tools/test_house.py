"""The house rules hold for the project itself, and its front door opens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TARGETS = """help setup build peers dev test test-full test-faults check format lint coverage
bench-quick bench-comprehensive bench-full thresholds report publish-reports track-releases
gate gate-report perf-nightly judge-eval judge-eval-full judge-live-build judge-live learn-2048
check-generated clean""".split()


def run(*command):
    # These tests run under make, which would make an inner make announce its folders.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)


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


def test_publishing_renders_every_run_that_is_named():
    commands = run("make", "-n", "publish-reports", "RUN=1a2b 3c4d", "DB=x.db").stdout
    assert "for run in 1a2b 3c4d" in commands and "--db x.db" in commands


def test_lints_fail_on_a_problem(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/a.cpp").write_text('#include "harness/run/runner.h"\n')
    result = run(sys.executable, "tools/lint/run.py", str(tmp_path))
    assert result.returncode == 1
    assert "kernels/a.cpp:1:" in result.stdout
