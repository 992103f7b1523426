"""tools/setup.sh against scripted dpkg-query, apt-get, id and sudo: nothing is really installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parent
PEER_FILES = TOOLS.parent / "reference/peers"
COMMANDS = ["bash", "dirname", "grep", "env", "sleep"]


class Machine:
    """A PATH that holds scripted commands only, and what they were called with."""

    def __init__(self, folder):
        self.bin = folder / "bin"
        self.log = folder / "log"
        self.bin.mkdir()
        self.log.touch()
        for command in COMMANDS:
            (self.bin / command).symlink_to(shutil.which(command))
        self.script("id", "echo 0")
        self.script("apt-get", 'echo "$*" >>"$LOG"')
        self.installed([])

    def script(self, name, body):
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def installed(self, packages):
        lines = "\n".join(f'echo "installed {package}"' for package in packages)
        self.script("dpkg-query", f"{lines}\necho 'not-installed ghost'\nexit 1")

    def setup(self, *arguments, **variables):
        environment = {"PATH": str(self.bin), "LOG": str(self.log), **variables}
        command = [shutil.which("bash"), str(TOOLS / "setup.sh"), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def calls(self):
        return self.log.read_text().splitlines()


def packages(name):
    lines = (TOOLS / "packages" / f"{name}.txt").read_text().splitlines()
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_nothing_is_done_where_nothing_is_missing(machine):
    machine.installed(packages("core") + packages("test"))
    result = machine.setup()
    assert result.returncode == 0
    assert "packages (core test) are installed" in result.stdout
    assert machine.calls() == []


def test_only_the_missing_packages_are_installed(machine):
    machine.installed([name for name in packages("core") if name not in ("cmake", "g++")])
    result = machine.setup("core")
    assert result.returncode == 0
    update, install = machine.calls()
    assert update.endswith(" update")
    assert "install -y --no-install-recommends --no-remove" in install
    assert install.endswith("--no-remove cmake g++")
    assert "are missing: cmake g++" in result.stdout
    assert "DEBIAN_FRONTEND=noninteractive" in result.stdout


def test_dry_run_installs_nothing(machine):
    result = machine.setup("--dry-run", "check")
    assert result.returncode == 0 and "clang-format-14" in result.stdout
    assert machine.calls() == []


def test_sudo_is_used_by_users_and_never_asks_without_a_terminal(machine):
    machine.script("id", "echo 1000")
    machine.script("sudo", 'echo "sudo $1" >>"$LOG"; shift; exec "$@"')
    result = machine.setup("core")
    assert result.returncode == 0
    assert machine.calls()[0] == "sudo -n"
    assert any(call.endswith("update") for call in machine.calls())


def test_neither_root_nor_sudo_is_one_clear_line(machine):
    machine.script("id", "echo 1000")
    result = machine.setup("core")
    assert result.returncode == 5
    assert result.stderr.startswith("setup: neither root nor sudo; as root run: apt-get install")
    assert result.stderr.count("\n") == 1


def test_a_failing_apt_is_an_environment_error(machine):
    machine.script("apt-get", '[[ "$*" == *update ]]')
    result = machine.setup("core")
    assert result.returncode == 5
    assert "apt-get install failed" in result.stderr


def test_update_is_tried_again(machine):
    machine.script("sleep", "true")
    once = '[[ "$*" != *update || $(grep -c update "$LOG") -gt 2 ]]'
    machine.script("apt-get", f'echo "$*" >>"$LOG"; {once}')
    result = machine.setup("core")
    assert result.returncode == 0
    assert sum(call.endswith("update") for call in machine.calls()) == 3


def test_other_systems_are_told_what_to_install(machine):
    os.unlink(machine.bin / "dpkg-query")
    result = machine.setup("core")
    assert result.returncode == 5 and "no apt here" in result.stderr
    assert machine.setup("core", NSOP_SETUP="off").returncode == 0


def test_unknown_lists_are_usage_errors(machine):
    result = machine.setup("everything")
    assert result.returncode == 2
    assert "expected core, test, check, package, arm, wasm, device or peers" in result.stderr


# Each peer names its own packages: a folder with a peer.cmake or a Python worker.
PEERS = [*PEER_FILES.glob("*/peer.cmake"), *PEER_FILES.glob("python/*_worker.py")]


@pytest.mark.parametrize("path", PEERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_make_peers_installs_what_each_peer_names(machine, path):
    named = re.findall(r"^# Debian: (.*)$", path.read_text(), re.MULTILINE)
    assert len(named) == 1, f"{path}: expected one line '# Debian: PACKAGE...'"
    result = machine.setup("--dry-run", "peers")
    missing = result.stdout.split("are missing:")[1].split()
    assert result.returncode == 0 and set(named[0].split()) <= set(missing)
    assert len(missing) == len(set(missing))


@pytest.mark.parametrize("name", ["core", "test", "check", "package"])
def test_package_lists_name_one_package_a_line(name):
    names = packages(name)
    assert names and len(names) == len(set(names))
    assert all(" " not in package for package in names)
