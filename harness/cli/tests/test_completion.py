"""The completion scripts, as shells run them."""

import os
import pty
import re
import select
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


needs = {
    shell: pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")
    for shell in ("zsh", "fish")
}
SECONDS = 60  # after which a shell that says nothing has failed


class Terminal:
    """A shell at a terminal: a person types, and sees what it prints."""

    def __init__(self, command, environment):
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, environment)

    def until(self, text):
        """Waits for a text, and returns what was printed up to its end."""
        seen = ""
        while text not in seen:
            ready, _, _ = select.select([self.screen], [], [], SECONDS)
            assert ready, f"{text!r} was never printed, but {seen!r}"
            seen += os.read(self.screen, 4096).decode(errors="replace")
        return seen

    def type(self, text):
        os.write(self.screen, text.encode())

    def completed(self, typed):
        """The line that the key Tab makes of another, which is then printed instead of run."""
        self.type(f"{typed}\t\x01print_words \r")  # Control-A: the beginning of the line
        line = self.until("}\r\n")
        return re.findall(r"\{(.*)\}", line)[-1]

    def close(self):
        os.close(self.screen)
        os.waitpid(self.process, 0)


@pytest.fixture
def typing(nsop, tmp_path):
    """A shell that has its completion in the way that is asked for; prompts are `ready>`."""
    terminals = []

    def start(shell, way):
        script = nsop("completion", shell).stdout
        (tmp_path / "_nsop").write_text(script)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
        if shell == "bash":
            terminal = Terminal(["bash", "--norc", "--noediting", "-i"], environment)
            terminal.type("set -o emacs\n")
            load = f"source {tmp_path}/_nsop"
        else:
            terminal = Terminal(["zsh", "-f", "-i"], environment)
            found = f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D; bindkey -e"
            load = found if way == "found" else f"{found}; source {tmp_path}/_nsop"
            if way == "sourced":
                load = load.replace(f"{tmp_path} $fpath", "$fpath")
        terminals.append(terminal)
        terminal.type(f"PS1='ready> '; print_words() {{ printf '{{%s}}\\n' \"$*\"; }}; {load}\n")
        terminal.type("echo lo''aded\n")
        terminal.until("loaded\r\n")
        return terminal

    yield start
    for terminal in terminals:
        terminal.close()


@pytest.mark.parametrize(
    "shell, way",
    [
        ("bash", "sourced"),
        pytest.param("zsh", "sourced", marks=needs["zsh"]),
        pytest.param("zsh", "found", marks=needs["zsh"]),
    ],
)
def test_the_key_tab_completes_at_a_terminal(typing, shell, way):
    terminal = typing(shell, way)
    assert terminal.completed("nsop veri") == "nsop verify"
    assert terminal.completed("nsop run --prof") == "nsop run --profile"
    assert terminal.completed("nsop baseline rem") == "nsop baseline remove"
    assert terminal.completed("nsop diff --prof") == "nsop diff --prof"


@pytest.fixture
def fish(nsop, tmp_path):
    """What fish offers for a line: word and help of each."""
    script = tmp_path / "nsop.fish"
    script.write_text(nsop("completion", "fish").stdout)

    def ask(line):
        command = ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
        folder = tmp_path / "empty"
        folder.mkdir(exist_ok=True)
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=folder, check=True
        )
        assert done.stderr == ""
        return dict(one.partition("\t")[::2] for one in done.stdout.splitlines())

    return ask


@needs["fish"]
def test_fish_offers_verbs_and_flags_with_their_help(fish):
    assert fish("nsop ver") == {"verify": "Compare every variant on every target with the oracle"}
    assert set(fish("nsop b")) == {"baseline", "backfill", "bisect"}
    assert set(fish("nsop run --prof")) == {"--profile"}
    assert set(fish("nsop diff --d")) == {"--db"}
    assert "--profile" not in fish("nsop diff --prof")
    assert set(fish("nsop baseline s")) == {"set"}
    assert "--reason" in fish("nsop baseline set x --rea")
    assert {"run", "completion"} <= set(fish("nsop "))


def test_another_shell_is_a_mistake_of_usage(nsop):
    assert "tcsh not in {bash,fish,zsh}" in one_line(nsop("completion", "tcsh", code=2))
    assert "shell is required" in one_line(nsop("completion", code=2))
