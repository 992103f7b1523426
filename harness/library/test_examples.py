"""The projects of examples/, each gated as its README says. No test looks at a clock: of the same
code all is measured, and a benchmark that the head lacks is lost, a wrong result worse."""

import json
import shutil
import subprocess
from urllib.parse import unquote

import pytest

from harness.cli.testing.repository_support import BIN, timed_controls
from harness.library.testing.project_support import (
    EXAMPLES,
    call,
    copy_of,
    edit,
    environment,
)

pytestmark = pytest.mark.slow

# Example, a case of it, and what makes the head lack it: a file, an old text, a new one.
FOREIGN = {
    "gbench": ("search name=linear_search/256", "search_bench.cpp", "Arg(256)", "Arg(255)"),
    "go": ("words name=BenchmarkCount/words=1000", "words_test.go", "{8, 1000}", "{8, 999}"),
    "pytest": (
        "rolling name=bench_rolling.py::test_rolling_max[plain]",
        "bench_rolling.py",
        '"plain"',
        '"simple"',
    ),
}


def git(project, *arguments):
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", project, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def committed(tmp_path):
    """An example as the first commit of a repository of its own."""

    def make(example):
        project = copy_of(example, tmp_path / example)
        shutil.copy(EXAMPLES / ".gitignore", project)
        git(project, "init", "-q")
        git(project, "add", "-A")
        git(project, "commit", "-qm", "first")
        return project

    return make


def gate(project, env, *arguments):
    """The exit code and, by case, the rows of HEAD~1 against HEAD."""
    options = ["--base", "HEAD~1", "--rounds", "6", "--budget", "0s", "--json", *arguments]
    done = call(BIN / "nsop", "gate", *options, cwd=project, env=env, code=None)
    assert done.returncode in (0, 1, 3), done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if not row["control"]]
    return done.returncode, {unquote(row["case"]): row for row in rows}


def was_measured(row):
    """By both sides, whatever the clock said of it."""
    times = row["first"]["log_ratios"] if row.get("first") else []
    return len(times) == 6 and not row["note"].startswith(("head: ", "base: "))


@pytest.mark.parametrize("example", sorted(FOREIGN))
def test_a_benchmark_of_another_tool_is_gated_by_revision(example, committed, tmp_path):
    case, file, old, new = FOREIGN[example]
    project = committed(example)
    env = environment(tmp_path, NSOP_WORKER=str(timed_controls(tmp_path / "controls")))
    git(project, "commit", "-q", "--allow-empty", "-m", "the same")
    _, rows = gate(project, env)
    assert case in rows and len(rows) >= 2, list(rows)
    assert all(was_measured(row) for row in rows.values()), rows
    edit(project / file, old, new)
    git(project, "commit", "-qam", "without a benchmark")
    code, rows = gate(project, env)
    assert code == 1 and rows[case]["verdict"] in ("worse", "lost")
    assert rows[case]["note"].startswith("head: ")


def test_the_library_is_gated_by_revision(committed, prefix, tmp_path):
    project = committed("library")
    env = environment(tmp_path, CMAKE_PREFIX_PATH=str(prefix))
    git(project, "commit", "-q", "--allow-empty", "-m", "the same")
    _, rows = gate(project, env)
    assert set(rows) == {f"box_blur n={n} r={r}" for n in (1000, 100000) for r in (1, 16)}
    assert all(was_measured(row) for row in rows.values()), rows
    edit(project / "src/box_blur.cpp", "(sum * scale)", "(sum * scale * 1.001)")
    git(project, "commit", "-qam", "wrong")
    code, rows = gate(project, env)
    assert code == 1 and rows["box_blur n=1000 r=16"]["verdict"] == "worse"
    assert "wrong" in json.dumps(rows["box_blur n=1000 r=16"])


def test_every_example_is_tested():
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert folders == {*FOREIGN, "library"}
