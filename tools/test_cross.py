"""The worker of another processor; `make test-full` really builds and runs it (step arm)."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def apt(tmp_path):
    """Puts a program in place of apt-get; returns what writes it."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def write(script):
        (folder / "apt-get").write_text("#!/bin/sh\n" + script)
        (folder / "apt-get").chmod(0o755)
        return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")

    return write


def arm_root(folder, environment):
    command = [ROOT / "tools/cross/arm_root.sh", folder]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_packages_that_cannot_be_fetched_are_one_line_and_exit_5(apt, tmp_path):
    done = arm_root(tmp_path / "root", apt("exit 100"))
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert line.startswith("arm_root: the packages of arm64 can't be fetched")
    assert not (tmp_path / "root/complete").exists()


def test_libraries_are_unpacked_once(apt, tmp_path):
    made = tmp_path / "made"
    (made / "DEBIAN").mkdir(parents=True)
    (made / "usr/lib").mkdir(parents=True)
    (made / "usr/lib/libfmt.so").write_text("library")
    (made / "DEBIAN/control").write_text(
        "Package: libfmt\nVersion: 1\nArchitecture: arm64\nMaintainer: x\nDescription: x\n"
    )
    package = tmp_path / "libfmt.deb"
    subprocess.run(["dpkg-deb", "--build", made, package], check=True, capture_output=True)
    log = tmp_path / "log"
    environment = apt(
        f'echo "$@" >>{log}\ncase "$*" in *" download "*) cp {package} libfmt.deb ;; esac\n'
    )
    first = arm_root(tmp_path / "root", environment)
    assert first.returncode == 0, first.stderr
    assert (tmp_path / "root/usr/lib/libfmt.so").read_text() == "library"
    asked = log.read_text()
    assert "APT::Architecture=arm64" in asked and " libhwy-dev" in asked
    again = arm_root(tmp_path / "root", environment)
    assert again.returncode == 0 and "has all" in again.stdout
    assert log.read_text() == asked
