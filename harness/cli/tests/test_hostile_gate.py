"""A gate's file is a stranger's: whatever its texts say, the log of the trusted job that reads it
holds no command to the runner and nothing that drives a terminal."""

import copy
import json
import os
import subprocess

import pytest

from harness.cli.testing.exchange_support import compact, lines_of, sealed
from harness.cli.testing.repository_support import BIN, RELU, ROOT, SmallRepository

HOSTILE = "x\n::stop-commands::pwned\n##[error]pwned\x1b[31m\u202e"
pytestmark = pytest.mark.faults


def texts_of(value, path=()):
    """Paths to all texts in it."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from texts_of(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value[:2]):
            yield from texts_of(one, (*path, at))


def one_of_each(lines):
    """Places of a line of every kind, and of an invocation of every status."""
    kinds = [(line["type"], line.get("status")) for line in lines]
    return [at for at, kind in enumerate(kinds) if kind not in kinds[:at]]


def with_text(lines, path, text):
    lines = copy.deepcopy(lines)
    at = lines
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = text
    return lines


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """The lines of an exported gate whose head crashes: run, host, builds, invocations."""
    repository = SmallRepository(tmp_path_factory.mktemp("gate"))
    repository.commit("First", relu=1000)
    repository.commit("Second", relu="crash")
    arguments = ("--base", "HEAD~1", "--layouts", "1", "--budget", "0s", "--quiet")
    repository.nsop("gate", RELU, *arguments, code=1)
    exported = repository.nsop("export", "@last").stdout
    lines = lines_of(exported)[:-1]
    assert sealed(lines) == exported, "the digests are not made as nsop makes them"
    return lines


def said_by(folder, text):
    """Everything that the trusted job prints about a file, which it expects to be of another head
    commit at last, and the exit codes."""
    file, database = folder / "gate.ndjson", folder / "report.db"
    file.write_text(text)
    for path in folder.glob("report.db*"):
        path.unlink()
    report = ("report", "--gate", "@last", "--untrusted", "--db", database, "--format")
    asked = [("import", file, "--db", database), (*report, "github"), (*report, "status")]
    asked.append((*report, "status", "--expect-head", "c0ffee" * 6 + "abcd"))
    said, codes = "", []
    for arguments in asked:
        done = subprocess.run(
            [BIN / "nsop", *map(str, arguments)], capture_output=True, text=True, cwd=ROOT
        )
        said += done.stdout + done.stderr
        codes.append(done.returncode)
        if arguments[0] == "import" and done.returncode != 0:
            break
    return said, codes


def assert_inert(said, what):
    for line in said.splitlines():
        assert not line.lstrip().startswith("::stop-commands"), f"{what}: {line}"
        assert "##[" not in line and "\x1b" not in line and "\u202e" not in line, f"{what}: {line}"


@pytest.mark.slow
def test_what_is_not_changed_is_reported(gate, tmp_path):
    said, codes = said_by(tmp_path, sealed(gate))
    assert codes[:3] == [0, 0, 0] and codes[3] != 0, said
    commits = {line["commit"] for line in gate if line["type"] == "build"}
    [refused] = [line for line in said.splitlines() if line.startswith("nsop: ")]
    assert any(commit in refused for commit in commits), "it names the head that it found"
    assert "::error " in said and "failure 1 regression" in said


# One text at a time, and in every run of the tests some of them: all take a minute.
FULL = bool(os.environ.get("NSOP_TEST_FULL"))


def test_no_text_of_a_gate_reaches_the_log_as_it_is(gate, tmp_path):
    paths = [(at, *path) for at in one_of_each(gate) for path in texts_of(gate[at])]
    assert len(paths) > 60
    tried = 0
    for path in paths if FULL else paths[::7]:
        said, _ = said_by(tmp_path, sealed(with_text(gate, path, HOSTILE)))
        assert_inert(said, path)
        tried += 1
    plan = json.loads(gate[0]["plan"])
    inside = list(texts_of(plan))
    assert len(inside) > 10
    for path in inside if FULL else [*inside[::5], ("head", "commit")]:
        changed = with_text(gate, (0, "plan"), compact(with_text(plan, path, HOSTILE)))
        said, _ = said_by(tmp_path, sealed(changed))
        assert_inert(said, ("plan", *path))
        if path == ("head", "commit"):
            assert "stop-commands" in said, "the head that it is of is not named"
        tried += 1
    print(f"{tried} texts of a gate")


@pytest.mark.slow
def test_the_script_of_the_trusted_job_logs_no_command_of_a_gate(gate, tmp_path):
    """tools/gate_report.sh as on a runner: its log holds annotations of nsop only."""
    places = [(at, *path) for at in one_of_each(gate) for path in texts_of(gate[at])]
    inside = list(texts_of(json.loads(gate[0]["plan"])))
    changed = [with_text(gate, path, HOSTILE) for path in places[::12]]
    for path in [*inside[::6], ("head", "commit")]:
        plan = with_text(json.loads(gate[0]["plan"]), path, HOSTILE)
        changed.append(with_text(gate, (0, "plan"), compact(plan)))
    environment = dict(os.environ, GITHUB_ACTIONS="true", GITHUB_REPOSITORY="o/r")
    environment.pop("GITHUB_STEP_SUMMARY", None)
    script = [
        ROOT / "tools/gate_report.sh",
        BIN / "nsop",
        tmp_path / "gate.ndjson",
        tmp_path / "out",
    ]
    for lines in [gate, *changed]:
        (tmp_path / "gate.ndjson").write_text(sealed(lines))
        for head in ((), ("c0ffee" * 6 + "abcd",)):
            done = subprocess.run(
                [*script, *head], capture_output=True, text=True, cwd=ROOT, env=environment
            )
            said = done.stdout + done.stderr
            assert said and done.returncode != 0
            assert_inert(said, "gate_report.sh")
            for line in said.splitlines():
                if line.lstrip().startswith("::"):
                    assert line.startswith(("::error ", "::warning ", "::notice ")), line
        assert "nsop: " in said, "a gate of another head is refused"


def test_a_file_that_is_broken_where_a_text_stands_says_so_on_one_line(gate, tmp_path):
    for change in (
        lambda text: text.replace('"type":"host"', '"type":' + compact(HOSTILE), 1),
        lambda text: text.replace(
            '"schema":', compact(HOSTILE) + ":1," + compact(HOSTILE) + ":", 1
        ),
        lambda text: text.replace('"state":"complete"', '"state":' + compact(HOSTILE), 1),
        lambda text: text[: len(text) // 2],
        lambda text: HOSTILE + text,
    ):
        said, codes = said_by(tmp_path, change(sealed(gate)))
        assert codes == [4], said
        assert said.count("\n") == 1 and said.startswith("nsop: ")
        assert_inert(said, "a broken file")
