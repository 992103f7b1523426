"""Runs every command of README.md and CONTRIBUTING.md, in a scratch copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sources

ROOT = sources.ROOT
DOCUMENTS = ["README.md", "CONTRIBUTING.md"]
BUILD = Path(os.environ.get("NSOP_BUILD_DIR", ROOT / "build/dev"))

# What is run in place of a command that would take long, change the machine or depend on it. The
# first pattern that matches the start of a line counts; every other line is run as it stands.
# Targets of make are run, too, with what makes them shorter: packages and programs are those that
# are there (OFF), and tests those with a word in their names that this file has not.
MEASURED = "ARGS='--suite activations --threads 1 --rounds 2' OUT=build/reports"
INSTEAD = [
    (r"make (bench-\w+)$", rf"make \1 {MEASURED}"),
    (r"make test-full$", "make test-full TESTS=Median STEPS=dev"),
    (r"make (test|check)$", r"make \1 TESTS=Median"),
    (r"tools/setup\.sh\b(?! --dry-run)", "tools/setup.sh --dry-run"),
    # All suites take minutes, even if nothing is timed because both builds are the same.
    (r"(build/release/bin/nsop gate\b.*)", r"\1 --suite activations"),
    # Whether this machine is fit, and what two runs on it tell apart, is not for a test to say.
    # Other libraries need not be installed.
    (r"(build/release/bin/nsop verify .*--worker (\S*nsop-peer-\w+))", r"[[ ! -x \2 ]] || \1"),
    (r"(build/release/bin/nsop check\b.*)", r"{ \1 --rounds 2; } || [[ $? == [135] ]]"),
    (r"(build/release/bin/nsop (?:doctor|diff)\b.*)", r"{ \1; } || [[ $? == [135] ]]"),
    (r"(build/release/bin/nsop run\b.* --suite .*)", r"\1 --rounds 2"),
]
OFF = {"NSOP_SETUP": "off", "NSOP_BUILD": "off"}
# Run with the slow tests: they take long, need what only `make check` installs, or repeat another.
SLOW = re.compile(
    r"^(make (bench-comprehensive|check|test-full)$|make test\nbuild/|build/release/bin/nsop gate)",
    re.MULTILINE,
)
# Of a build folder: what tests write, which may be running just now.
WRITTEN = {"tests", "Testing"}
# Blocks with these words need the built programs.
NEEDS_BUILD = re.compile(r"build/(release|dev)/|^make (bench|test|check|report)", re.MULTILINE)


def blocks(name):
    """(line number, text) of every ```sh block."""
    text = (ROOT / name).read_text()
    for match in re.finditer(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


def adapted(line):
    for pattern, instead in INSTEAD:
        if re.match(pattern, line):
            return re.sub("^" + pattern, instead, line)
    return line


COMMANDS = [
    pytest.param(text, id=f"{name}:{line}", marks=[pytest.mark.slow] if SLOW.search(text) else [])
    for name in DOCUMENTS
    for line, text in blocks(name)
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the project's files whose build folders hold what the tested build built."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in sources.project_files(ROOT):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    for name in ("dev", "release"):
        (folder / "build" / name).mkdir(parents=True)
        for path in BUILD.iterdir():
            if path.name not in WRITTEN:
                (folder / "build" / name / path.name).symlink_to(path)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("text", COMMANDS)
def test_the_commands_of_a_block_work(checkout, text):
    if NEEDS_BUILD.search(text) and not (BUILD / "bin/nsop").exists():
        pytest.skip("nsop is not built")
    done = run(checkout, "\n".join(map(adapted, text.splitlines())))
    assert done.returncode == 0, f"{done.args[-1]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def run(checkout, script):
    own = {"XDG_CACHE_HOME": str(checkout / "cache"), "NSOP_LOCK": str(checkout / "lock")}
    environment = {**os.environ, **OFF, **own, "NSOP_PYTHON": sys.executable}
    for name in ("NSOP_DB", "NSOP_BUILD_DIR", "NSOP_TEST_FULL", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_there_are_commands_to_run():
    assert len(COMMANDS) >= 8


# make does what it says, on what is there: no target is only printed.
def test_every_target_of_the_documents_is_run():
    lines = [line for name in DOCUMENTS for _, text in blocks(name) for line in text.splitlines()]
    targets = [line for line in lines if line.startswith("make ")]
    assert len(targets) >= 6
    assert not [
        line for line in targets if re.search(r" -\w*n|--(dry-run|just-print)", adapted(line))
    ]


# A word that chose this file would have it run itself for ever.
def test_the_tests_that_are_run_are_not_these():
    names = [name for name in globals() if name.startswith("test_")]
    ids = [Path(__file__).name, *names, *(command.id for command in COMMANDS)]
    assert not [name for name in ids if "median" in name.lower()]


def test_the_report_of_the_last_run_is_rendered_again(checkout):
    if not (BUILD / "bin/nsop").exists():
        pytest.skip("nsop is not built")
    done = run(
        checkout,
        "build/release/bin/nsop run --profile quick --suite activations --threads 1 --rounds 2\n"
        "make report OUT=build/reports",
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert any((checkout / "build/reports").iterdir())


@pytest.mark.parametrize("name", [*DOCUMENTS, "CHANGELOG.md"])
def test_links_lead_to_files(name):
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not target.startswith("https://"):
            assert (ROOT / target).exists(), f"{name} links to {target}"


def test_the_table_of_the_readme_is_that_of_the_report():
    if not (ROOT / "reports/generated/conv.json").exists():
        pytest.skip("reports/generated/conv.json does not exist yet")
    command = [sys.executable, "tools/readme_table.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
