"""Tests that need a server or a cluster are skipped in `make test` where its packages are absent;
they fail in `make test-full`, and wherever it is installed and doesn't start."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.cli.testing.repository_support import ROOT

OF_A_SERVER = "server/test_postgres.py::test_what_is_granted_wrongly_is_one_line"
OF_A_CLUSTER = "cluster/test_slurm.py::test_what_slurm_refuses_is_one_line_and_goes_on"
DAEMONS = ("initdb", "munged", "slurmctld", "slurmd")


@pytest.fixture
def broken():
    """A folder of programs that are there and fail, for whichever user runs them."""
    with tempfile.TemporaryDirectory(prefix="nsop-broken-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for name in DAEMONS:
            (folder / name).write_text("#!/bin/sh\necho broken on purpose >&2\nexit 1\n")
            (folder / name).chmod(0o755)
        yield folder


def run(command, programs, full):
    environment = dict(os.environ, NSOP_TEST_PROGRAMS=str(programs))
    environment.pop("NSOP_TEST_FULL", None)
    if full:
        environment["NSOP_TEST_FULL"] = "1"
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def outcome_of(test, programs, full):
    options = ("-q", "-rs", "-m", "", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", f"harness/cli/tests/{test}", *options]
    return run(command, programs, full)


@pytest.mark.parametrize("test", (OF_A_SERVER, OF_A_CLUSTER))
def test_absent_packages_skip_with_a_reason_or_fail(test, tmp_path):
    code, said = outcome_of(test, tmp_path / "none", full=False)
    assert code == 0 and "1 skipped" in said and "not installed (Debian: " in said, said
    code, said = outcome_of(test, tmp_path / "none", full=True)
    assert code == 1 and "1 error" in said and "not installed (Debian: " in said, said


@pytest.mark.parametrize("full", (False, True))
@pytest.mark.parametrize("test", (OF_A_SERVER, OF_A_CLUSTER))
def test_what_is_there_and_does_not_start_fails(test, full, broken):
    code, said = outcome_of(test, broken, full)
    assert code == 1 and "1 error" in said and "broken on purpose" in said, said


def test_programs_of_the_store_do_the_same(tmp_path, broken):
    command = ["harness/store/testing/on_postgres.sh", "true"]
    none = tmp_path / "none"
    for programs, full, expected in ((none, 0, 77), (none, 1, 1), (broken, 0, 1), (broken, 1, 1)):
        code, said = run(command, programs, full)
        assert code == expected, said
        assert ("not installed" if programs == none else "broken on purpose") in said
