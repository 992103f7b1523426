"""tools/new_op writes an op that compiles (quick) and passes the generic check (slow)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = [
    "reference/elementwise/batch_norm.cpp",
    "reference/before/batch_norm.cpp",
    "kernels/elementwise/batch_norm.h",
    "kernels/elementwise/batch_norm.cpp",
]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def new_op(*arguments):
    return subprocess.run([ROOT / "tools/new_op", *arguments], capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources, without what was built."""
    skipped = shutil.ignore_patterns("build", ".git", "generated", "*.db*", ".cache")
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=skipped))


def test_it_writes_files_that_compile(checkout):
    lines_before = (checkout / "reference/check_cases.txt").read_text().splitlines()
    result = new_op("batch_norm", str(checkout))
    assert result.returncode == 0, result.stderr
    for name in FILES:
        assert "@" not in (checkout / name).read_text()
        compiler = ["g++", "-std=c++20", "-fsyntax-only", "-DHWY_COMPILE_ONLY_STATIC", *WARNINGS]
        if name.endswith(".cpp"):
            compiled = subprocess.run([*compiler, "-I.", name], cwd=checkout, capture_output=True)
            assert compiled.returncode == 0, compiled.stderr.decode()
    lines = (checkout / "reference/check_cases.txt").read_text().splitlines()
    assert lines[:-1] == lines_before
    assert lines[-1].startswith("batch_norm pass=forward ")


def test_it_overwrites_nothing(checkout):
    (checkout / FILES[3]).write_text("mine")
    result = new_op("batch_norm", str(checkout))
    assert result.returncode == 2
    assert "kernels/elementwise/batch_norm.cpp exists; nothing was written" in result.stderr
    assert (checkout / FILES[3]).read_text() == "mine"
    assert not (checkout / FILES[0]).exists()


@pytest.mark.parametrize("name", ["", "BatchNorm", "batch-norm", "1x", "a__b", "../x"])
def test_a_name_must_be_snake_case(name):
    result = new_op(name)
    assert result.returncode == 2 and "usage: tools/new_op NAME" in result.stderr


@pytest.mark.skipif(not shutil.which("clang-format-14"), reason="clang-format-14 is not installed")
def test_what_it_writes_is_formatted(checkout):
    assert new_op("op", str(checkout)).returncode == 0
    names = [name.replace("batch_norm", "op") for name in FILES]
    command = ["clang-format-14", "--dry-run", "-Werror", *names]
    formatted = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert formatted.returncode == 0, formatted.stderr


@pytest.mark.slow
def test_it_passes_the_generic_check(checkout):
    assert new_op("batch_norm", str(checkout)).returncode == 0
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    for command in (
        ["cmake", "--preset", "dev"],
        ["cmake", "--build", "--preset", "dev", "-j", jobs, "--target", "registry_check_test"],
        ["ctest", "--test-dir", "build/dev", "-R", "batch_norm", "--no-tests=error"],
    ):
        done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
