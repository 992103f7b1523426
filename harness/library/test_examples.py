"""The projects of examples/, each gated as its README says. No test looks at a clock: a program
against itself is neither better nor worse, and a benchmark that the head lacks is lost."""

import json
import shutil
import subprocess

import pytest

from harness.cli.testing.repository_support import BIN
from harness.library.testing.project_support import (
    EXAMPLES,
    call,
    copy_of,
    edit,
    environment,
    install,
)

pytestmark = pytest.mark.slow

# Example, a case of it, and what makes the head lack it: a file, an old text, a new one.
FOREIGN = {
    "gbench": ("search name=linear_search/256", "search_bench.cpp", "Arg(256)", "Arg(255)"),
    "go": ("words name=BenchmarkCount/words=1000", "words_test.go", "{8, 1000}", "{8, 999}"),
    "pytest": (
        "rolling name=bench_rolling.py::test_rolling_max[queue-64]",
        "bench_rolling.py",
        "[4, 64]",
        "[4, 63]",
    ),
}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return install(tmp_path_factory.mktemp("prefix"))


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
    """Verdicts by case of HEAD~1 against HEAD."""
    options = ["--base", "HEAD~1", "--rounds", "6", "--budget", "0s", "--json", *arguments]
    done = call(BIN / "nsop", "gate", *options, cwd=project, env=env, code=None)
    assert done.returncode in (0, 1, 3), done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if not row["control"]]
    return done.returncode, {row["case"]: row["verdict"] for row in rows}


@pytest.mark.parametrize("example", sorted(FOREIGN))
def test_a_benchmark_of_another_tool_is_gated_by_revision(example, committed, tmp_path):
    case, file, old, new = FOREIGN[example]
    project, env = committed(example), environment(tmp_path)
    git(project, "commit", "-q", "--allow-empty", "-m", "the same")
    code, verdicts = gate(project, env)
    assert case in verdicts and len(verdicts) >= 2
    assert not {"better", "worse", "lost", "new"} & set(verdicts.values())
    edit(project / file, old, new)
    git(project, "commit", "-qam", "without a benchmark")
    code, verdicts = gate(project, env)
    assert (code, verdicts[case]) == (1, "lost")


def test_the_library_is_gated_by_revision(committed, prefix, tmp_path):
    project = committed("library")
    env = environment(tmp_path, CMAKE_PREFIX_PATH=str(prefix))
    git(project, "commit", "-q", "--allow-empty", "-m", "the same")
    code, verdicts = gate(project, env)
    assert set(verdicts) == {f"box_blur n={n} r={r}" for n in (1000, 100000) for r in (1, 16)}
    assert not {"better", "worse", "lost", "new"} & set(verdicts.values())
    edit(project / "src/box_blur.cpp", "(sum * scale)", "(sum * scale * 1.001)")
    git(project, "commit", "-qam", "wrong")
    code, verdicts = gate(project, env)
    assert code == 1 and verdicts["box_blur n=1000 r=16"] == "worse"


def test_every_example_is_tested():
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert folders == {*FOREIGN, "library"}
