"""Runs every command in the `sh` blocks of README.md and CONTRIBUTING.md, in a scratch copy of the
project, as it stands or, where it would take long, as INSTEAD has it.

Less than it says is done by `make peers`, which only names what it would install and build (OFF),
and by `nsop verify --worker` of a peer that is not built, which is passed over. Commands in tables
and in the text between are not run.
"""

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
FEW = "--threads 1 --rounds 2"
MEASURED = f"ARGS='--suite activations {FEW}' OUT=build/reports"
INSTEAD = [
    (r"make (bench-\w+)$", rf"make \1 {MEASURED}"),
    (r"make test-full$", "make test-full TESTS=Median STEPS=dev"),
    (r"make (test|check)$", r"make \1 TESTS=Median"),
    (r"tools/setup\.sh\b(?! --dry-run)", "tools/setup.sh --dry-run"),
    (r"(build/release/bin/nsop gate\b.* --adapter .*)", r"\1"),
    # All suites take minutes, even if nothing is timed because both builds are the same.
    (r"(build/release/bin/nsop gate\b.*)", r"\1 --suite activations"),
    # Other libraries need not be installed.
    (r"(build/release/bin/nsop verify .*--worker (\S*nsop-peer-\w+))", r"[[ ! -x \2 ]] || \1"),
    (r"(build/release/bin/nsop run\b.* --suite activations)$", rf"\1 {FEW}"),
    (r"(build/release/bin/nsop (?:run|check)\b.* --suite .*)", r"\1 --rounds 2"),
]
# The commands that may end with another code than 0, because they judge this machine or a
# measurement on it: code -> what they must then print, and when that is right. All others exit 0.
EXITS = {
    r"build/release/bin/nsop doctor\b": {
        0: (r"^\d+ checks, \d+ warnings, 0 bad$", "the machine is fit, notes or not"),
        5: (r"^\d+ checks, \d+ warnings, [1-9]\d* bad$", "busy, as where tests run in parallel"),
    },
    r"build/release/bin/nsop diff\b": {
        0: (r"^\d+ rows: \d+ (same|better)(, \d+ (same|better))*$", "the runs are of one build"),
        1: (r"^\d+ rows: .*\b[1-9]\d* worse\b", "a machine whose speed changed between the runs"),
        3: (
            r"^\d+ rows: (?!.* worse).*\b[1-9]\d* (inconclusive|incomparable|missing)\b",
            "two rounds of each run can't tell one build from itself",
        ),
    },
    r"build/release/bin/nsop gate\b.* --adapter ": {
        0: (
            r": \d+ rows: (?!.*(worse|better)).*\bsame\b.*; ",
            "a program is the same as itself, in most of the rows that are no controls",
        ),
        3: (
            r": \d+ rows: (?!.*(worse|better)).*\binconclusive; ",
            "on a noisy machine few rounds can't tell",
        ),
    },
    r"build/release/bin/nsop check\b": {
        3: (
            r" rows, 0 with a history that can be judged; 0 suspects, 0 open |"
            r": was built with uncommitted changes, which no history can name; ",
            "the first night of twelve; or the tested build is of no commit, as while one works",
        ),
    },
}
OFF = {"NSOP_SETUP": "off", "NSOP_BUILD": "off"}
# Run with the slow tests: they take long, need what only `make check` installs, or repeat another.
SLOW = re.compile(
    r"^(make (bench-comprehensive|check|test-full)$|make test$|build/release/bin/nsop gate)",
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


def exits(line):
    """The codes that a command may end with, and what it then prints; None: it must exit 0."""
    return next((codes for pattern, codes in EXITS.items() if re.match(pattern, line)), None)


def wrong_exit(line, code, printed):
    """What is wrong with how a command of EXITS ended; None: nothing."""
    codes = exits(line)
    if code not in codes:
        return f"{line}: exit {code}, expected {sorted(codes)}\n{printed[-2000:]}"
    pattern, why = codes[code]
    if not re.search(pattern, printed, re.MULTILINE):
        return f"{line}: exit {code} ({why}) without '{pattern}'\n{printed[-2000:]}"
    return None


def script_of(text, record):
    """What is run of a block. Commands of EXITS leave what they print, then their code, in files
    `record`0, `record`1, ... in the order of the lines."""
    script = []
    for number, line in enumerate(text.splitlines()):
        command = adapted(line)
        if exits(line):
            file = f"{record}{number}"
            command = f"code=0; {{ {command}; }} >{file} 2>&1 || code=$?; echo $code >>{file}"
        script.append(command)
    return "\n".join(script)


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
    before = {path: path.read_bytes() for path in BUILD.glob("tests/*.part_*.xml")}
    done = run(checkout, script_of(text, "build/ended"))
    assert done.returncode == 0, f"{done.args[-1]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert all(path.read_bytes() == counts for path, counts in before.items()), "of the copy alone"
    for number, line in enumerate(text.splitlines()):
        if exits(line):
            printed, _, code = (checkout / f"build/ended{number}").read_text()[:-1].rpartition("\n")
            assert wrong_exit(line, int(code), printed) is None


def test_measuring_leaves_a_clean_checkout(checkout, tmp_path):
    """By a repository of its own: what other commands here left is in its first commit."""
    if not (BUILD / "bin/nsop").exists():
        pytest.skip("nsop is not built")
    git = ["git", f"--git-dir={tmp_path}", f"--work-tree={checkout}"]
    who = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    (tmp_path / "info/exclude").write_text("/cache\n/lock\n")  # of the environment of `run`
    subprocess.run([*git, "add", "--all"], cwd=checkout, check=True)
    subprocess.run([*git, *who, "commit", "--quiet", "-m", "before"], cwd=checkout, check=True)
    (checkout / "build/reports/activations.md").unlink(missing_ok=True)
    done = run(checkout, adapted("make bench-quick").replace("OUT=build/reports", ""))
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert (checkout / "build/reports/activations.md").exists()
    status = subprocess.run(
        [*git, "status", "--porcelain"], cwd=checkout, check=True, capture_output=True, text=True
    )
    assert status.stdout == ""


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


DOCTOR, DIFF, CHECK = (f"build/release/bin/nsop {it}" for it in ("doctor", "diff a b", "check"))


@pytest.mark.parametrize(
    "line, code, printed, fine",
    [
        (DOCTOR, 0, "16 checks, 2 warnings, 0 bad", True),
        (DOCTOR, 5, "load  bad\n16 checks, 2 warnings, 1 bad", True),
        (DOCTOR, 0, "16 checks, 2 warnings, 1 bad", False),
        (DOCTOR, 5, "nsop: can't open nsop.db", False),
        (DOCTOR, 1, "16 checks, 2 warnings, 1 bad", False),
        (DIFF, 0, "22 rows: 22 same", True),
        (DIFF, 0, "22 rows: 20 same, 2 better", True),
        (DIFF, 0, "22 rows: 20 same, 2 inconclusive", False),
        (DIFF, 1, "22 rows: 1 worse, 20 same, 1 inconclusive", True),
        (DIFF, 1, "nsop: the run is damaged", False),
        (DIFF, 3, "22 rows: 6 same, 16 inconclusive", True),
        (DIFF, 3, "22 rows: 1 worse, 21 inconclusive", False),
        (DIFF, 3, "22 rows: 22 same", False),
        (DIFF, 5, "22 rows: 6 same, 16 inconclusive", False),
        (CHECK, 3, "run 1 of commit 2: 22 rows, 0 with a history that can be judged; 0 suspects, "
         "0 open regressions (0 new), 0 inconclusive", True),
        (CHECK, 3, "nsop: bin/nsop-worker: was built with uncommitted changes, which no history "
         "can name; commit them and build again", True),
        (CHECK, 3, "nsop: run 1 is of another host: judge it there", False),
        (CHECK, 1, "wrong result: relu\nrun 1 of commit 2: 22 rows, 0 with a history that can be "
         "judged; 0 suspects, 0 open regressions (0 new), 0 inconclusive", False),
        (CHECK, 0, "run 1 of commit 2: 22 rows, 22 with a history that can be judged", False),
    ],
)  # fmt: skip
def test_a_code_is_right_only_with_what_it_stands_for(line, code, printed, fine):
    assert (wrong_exit(line, code, printed) is None) == fine


def test_every_row_of_the_table_of_codes_is_of_a_command():
    lines = [line for name in DOCUMENTS for _, text in blocks(name) for line in text.splitlines()]
    assert not [pattern for pattern in EXITS if not any(re.match(pattern, line) for line in lines)]


def test_a_command_that_is_not_in_the_table_must_exit_0(tmp_path):
    done = run(tmp_path, script_of("false\ntrue\n", "ended"))
    assert done.returncode == 1 and not list(tmp_path.iterdir())


def test_a_code_and_what_was_printed_are_kept(tmp_path):
    program = tmp_path / "build/release/bin/nsop"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho $1 printed\necho said >&2\nexit 7\n")
    program.chmod(0o755)
    assert run(tmp_path, script_of(f"true\n{DOCTOR}\n", "ended")).returncode == 0
    assert (tmp_path / "ended1").read_text() == "doctor printed\nsaid\n7\n"


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
        f"build/release/bin/nsop run --profile quick --suite activations {FEW}\n"
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
