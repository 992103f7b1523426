"""What tools/new_op and tools/new_layer write compiles (quick) and passes the checks (slow)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("NSOP_BUILD_DIR", ROOT / "build/dev"))
# By tool: what follows the name, and what it writes.
TOOLS = {
    "new_op": (
        [],
        [
            "reference/elementwise/batch_norm.cpp",
            "reference/before/batch_norm.cpp",
            "kernels/elementwise/batch_norm.h",
            "kernels/elementwise/batch_norm.cpp",
        ],
    ),
    "new_layer": (
        ["layout"],
        ["reference/layout/batch_norm.cpp", "layers/batch_norm.h", "layers/batch_norm.cpp"],
    ),
}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
MOST_LINES = 250  # to read, of a scaffold

each_tool = pytest.mark.parametrize("tool", TOOLS)


def run(tool, name, root=None):
    command = [ROOT / "tools" / tool, name, *TOOLS[tool][0], *([str(root)] if root else [])]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources, without what was built."""
    skipped = shutil.ignore_patterns("build", ".git", "generated", "*.db*", ".cache")
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=skipped))


def targets_as_tested():
    """The SIMD targets that the tested build was told to skip."""
    cache = BUILD / "CMakeCache.txt"
    lines = cache.read_text().splitlines() if cache.exists() else []
    return ["-D" + line for line in lines if line.startswith("NSOP_SKIP_TARGETS:")]


def registered_ops(checkout):
    lines = (checkout / "reference/check_cases.txt").read_text().splitlines()
    return sorted({line.split()[0] for line in lines if line and line[0] != "#"})


@each_tool
def test_it_writes_files_that_compile(checkout, tool):
    lines_before = (checkout / "reference/check_cases.txt").read_text().splitlines()
    result = run(tool, "batch_norm", checkout)
    assert result.returncode == 0, result.stderr
    read = 0
    for name in TOOLS[tool][1]:
        text = (checkout / name).read_text()
        read += text.count("\n")
        assert "@" not in text
        compiler = ["g++", "-std=c++20", "-fsyntax-only", "-DHWY_COMPILE_ONLY_STATIC", *WARNINGS]
        if name.endswith(".cpp"):
            compiled = subprocess.run([*compiler, "-I.", name], cwd=checkout, capture_output=True)
            assert compiled.returncode == 0, compiled.stderr.decode()
    assert read <= MOST_LINES
    lines = (checkout / "reference/check_cases.txt").read_text().splitlines()
    assert lines[:-1] == lines_before
    assert lines[-1].startswith("batch_norm pass=forward,backward ")


@each_tool
def test_it_overwrites_nothing(checkout, tool):
    files = TOOLS[tool][1]
    (checkout / files[-1]).write_text("mine")
    result = run(tool, "batch_norm", checkout)
    assert result.returncode == 2
    assert f"{files[-1]} exists; nothing was written" in result.stderr
    assert (checkout / files[-1]).read_text() == "mine"
    assert not (checkout / files[0]).exists()


@each_tool
def test_no_op_is_named_twice(checkout, tool):
    ops = registered_ops(checkout)
    assert {"relu", "conv2d", "nop"} <= set(ops)
    before = {path: path.read_bytes() for path in checkout.rglob("*.*") if path.is_file()}
    for op in ops:
        result = run(tool, op, checkout)
        assert result.returncode == 2
        assert f"{tool}: '{op}' is an op already" in result.stderr
        assert result.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in checkout.rglob("*.*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["unary", "activation", "conv_parts"])
def test_an_op_is_not_named_like_a_file_of_another_room(checkout, name):
    result = run("new_op", name, checkout)
    assert result.returncode == 2 and "exists; nothing was written" in result.stderr


@each_tool
@pytest.mark.parametrize("name", ["", "BatchNorm", "batch-norm", "1x", "a__b", "../x"])
def test_a_name_must_be_snake_case(tool, name):
    result = run(tool, name)
    assert result.returncode == 2 and f"usage: tools/{tool} NAME" in result.stderr


@pytest.mark.parametrize("family", ["", "frobnicate", "peers", "conv pool2d", ".."])
def test_a_family_must_be_a_room_of_the_reference(family):
    command = [ROOT / "tools/new_layer", "batch_norm", family]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert f"'{family}' is no family, expected one of: activations conv" in result.stderr


@pytest.mark.skipif(not shutil.which("clang-format-14"), reason="clang-format-14 is not installed")
@each_tool
def test_what_it_writes_is_formatted(checkout, tool):
    assert run(tool, "op", checkout).returncode == 0
    names = [name.replace("batch_norm", "op") for name in TOOLS[tool][1]]
    command = ["clang-format-14", "--dry-run", "-Werror", *names]
    formatted = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert formatted.returncode == 0, formatted.stderr


@pytest.mark.slow
def test_they_pass_the_generic_checks(checkout):
    assert run("new_op", "batch_norm", checkout).returncode == 0
    assert run("new_layer", "copy_all", checkout).returncode == 0
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    build = ["cmake", "--build", "--preset", "dev", "-j", jobs, "--target"]
    tests = ["registry_check_test", "reference_test", "layers_test"]
    # With ccache the copy takes what this checkout compiled already: as tools/build.sh has it.
    env = {**os.environ, "CCACHE_BASEDIR": str(checkout), "CCACHE_NOHASHDIR": "1"}
    env["CCACHE_SLOPPINESS"] = "pch_defines,time_macros"
    for command in (
        ["cmake", "--preset", "dev", *targets_as_tested()],
        [*build, *tests],
        ["ctest", "--test-dir", "build/dev", "-R", "batch_norm", "--no-tests=error"],
        ["ctest", "--test-dir", "build/dev", "-R", "copy_all", "--no-tests=error"],
    ):
        done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
