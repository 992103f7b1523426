"""The completion scripts, as shells run them."""

import shutil
import subprocess

import pytest

from harness.cli.tests.conftest import one_line

ASK = """
source /dev/stdin <<< "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_nsop
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def complete(nsop):
    """What bash offers for the last of these words."""
    script = nsop("completion", "bash").stdout

    def ask(*words):
        done = subprocess.run(
            ["bash", "--norc", "-c", ASK, "bash", "nsop", *words],
            capture_output=True,
            text=True,
            env={"SCRIPT": script, "PATH": "/usr/bin:/bin"},
            check=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    return ask


def test_verbs_are_completed(complete):
    assert complete("ver") == ["verify"]
    assert complete("b") == ["baseline", "backfill", "bisect"]
    assert {"run", "gate", "completion", "--json", "--help"} <= set(complete(""))
    assert complete("baseline", "s") == ["set"]
    assert complete("nothing-like-it") == []


def test_flags_are_those_of_the_verb_and_of_nsop(complete):
    assert complete("run", "--prof") == ["--profile"]
    assert complete("diff", "--prof") == []
    assert complete("diff", "--d") == ["--db"]
    assert complete("run", "--quick", "--suite", "conv", "--rou") == ["--rounds"]
    assert complete("baseline", "set", "x", "--rea") == ["--reason"]
    assert complete("baseline", "list", "--rea") == []


def test_every_verb_of_the_help_is_offered(nsop, complete):
    lines = nsop("--help").stdout.split("Subcommands:\n")[1].splitlines()
    verbs = {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "}
    assert "completion" in verbs and verbs <= set(complete(""))


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_reads_its_script(nsop):
    script = nsop("completion", "zsh").stdout
    subprocess.run(["zsh", "-n"], input=script, text=True, check=True)


def test_another_shell_is_a_mistake_of_usage(nsop):
    assert "fish not in {bash,zsh}" in one_line(nsop("completion", "fish", code=2))
    assert "shell is required" in one_line(nsop("completion", code=2))
