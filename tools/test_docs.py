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

# What is run in place of a command that would take long or change the machine. The first pattern
# that matches the start of a line counts; every other line is run as it stands.
INSTEAD = [
    (r"make help\b", "make help"),
    (r"make\b", "make -n"),
    (r"tools/setup\.sh\b(?! --dry-run)", "tools/setup.sh --dry-run"),
    # Whether this machine is fit, and what two runs on it tell apart, is not for a test to say.
    # Other libraries need not be installed.
    (r"(build/release/bin/nsop verify .*--worker (\S*nsop-peer-\w+))", r"[[ ! -x \2 ]] || \1"),
    (r"(build/release/bin/nsop check\b.*)", r"{ \1 --rounds 2; } || [[ $? == [135] ]]"),
    (r"(build/release/bin/nsop (?:doctor|diff)\b.*)", r"{ \1; } || [[ $? == [135] ]]"),
    (r"(build/release/bin/nsop run\b.* --suite .*)", r"\1 --rounds 2"),
]
# Blocks with these words need the built programs.
NEEDS_BUILD = re.compile(r"build/(release|dev)/")


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
    pytest.param(text, id=f"{name}:{line}") for name in DOCUMENTS for line, text in blocks(name)
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the project's files whose build folders are the tested build."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in sources.project_files(ROOT):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    (folder / "build").mkdir()
    for name in ("dev", "release"):
        (folder / "build" / name).symlink_to(BUILD)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("text", COMMANDS)
def test_the_commands_of_a_block_work(checkout, text):
    if NEEDS_BUILD.search(text) and not (BUILD / "bin/nsop").exists():
        pytest.skip("nsop is not built")
    script = "\n".join(map(adapted, text.splitlines()))
    own = {"XDG_CACHE_HOME": str(checkout / "cache"), "NSOP_LOCK": str(checkout / "lock")}
    environment = {**os.environ, **own, "NSOP_PYTHON": sys.executable}
    for name in ("NSOP_DB", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def test_there_are_commands_to_run():
    assert len(COMMANDS) >= 8


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
