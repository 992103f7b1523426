"""Workers of other processors: `make test-full` builds and runs them (steps arm and wasm)."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def apt(tmp_path):
    """Puts a program in place of apt-get; returns what writes it."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def write(script):
        (folder / "apt-get").write_text("#!/bin/sh\n" + script)
        (folder / "apt-get").chmod(0o755)
        return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")

    return write


def called(script, folder, environment):
    command = [ROOT / "tools/cross" / script, folder]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def arm_root(folder, environment):
    return called("arm_root.sh", folder, environment)


def wasm_root(folder, environment):
    return called("wasm_root.sh", folder, environment)


NO_SOURCES = 'case "$*" in *indextargets*) ;; *) exit 100 ;; esac'


@pytest.mark.parametrize(
    "root, program, said",
    [
        (arm_root, "exit 100", "arm_root: the packages of arm64 can't be fetched"),
        (wasm_root, NO_SOURCES, "wasm_root: the sources of benchmark highway can't be fetched"),
    ],
)
def test_what_cannot_be_fetched_is_one_line_and_exit_5(apt, tmp_path, root, program, said):
    done = root(tmp_path / "root", apt(program))
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert line.startswith(said)
    assert not (tmp_path / "root/complete").exists()


def test_sources_are_unpacked_once(apt, tmp_path):
    (tmp_path / "made/hwy-1").mkdir(parents=True)
    (tmp_path / "made/hwy-1/targets.cc").write_text("source")
    archive, log = tmp_path / "made.tar.gz", tmp_path / "log"
    subprocess.run(["tar", "-czf", archive, "-C", tmp_path / "made", "hwy-1"], check=True)
    environment = apt(
        f"""echo "$@" >>{log}
case "$*" in
  *indextargets*) echo http://archive.example/debian bookworm main ;;
  *" source "*) for name in benchmark highway; do cp {archive} "$name"_1.orig.tar.gz; done ;;
esac
"""
    )
    first = wasm_root(tmp_path / "root", environment)
    assert first.returncode == 0, first.stderr
    assert (tmp_path / "root/highway/targets.cc").read_text() == "source"
    assert (tmp_path / "root/include/fmt/format.h").exists()
    asked = log.read_text()
    assert "source --download-only benchmark highway" in asked
    again = wasm_root(tmp_path / "root", environment)
    assert again.returncode == 0 and "has all" in again.stdout
    assert log.read_text() == asked


def test_the_pipes_of_the_protocol_are_what_node_reads_and_writes(tmp_path):
    (tmp_path / "node").write_text('#!/bin/sh\necho "$*"\ncat\n')
    (tmp_path / "node").chmod(0o755)
    launcher = tmp_path / "nsop-worker"
    launcher.write_text((ROOT / "tools/cross/nsop-worker-wasm.sh").read_text())
    launcher.chmod(0o755)
    environment = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    to_worker, from_worker = os.pipe(), os.pipe()
    os.write(to_worker[1], b"a request\n")
    os.close(to_worker[1])
    inherited = (to_worker[0], from_worker[1])
    pipes = ["--pipes", "{},{}".format(*inherited)]
    subprocess.run([launcher, *pipes], env=environment, pass_fds=inherited, check=True)
    os.close(from_worker[1])
    told = os.read(from_worker[0], 1000).decode()
    assert told == f"--no-experimental-fetch {tmp_path}/nsop-worker.js --pipes 0,1\na request\n"
    done = subprocess.run([launcher, "--list"], env=environment, input=b"", capture_output=True)
    assert done.stdout.decode().split()[-1] == "--list"


def test_libraries_are_unpacked_once(apt, tmp_path):
    made = tmp_path / "made"
    (made / "DEBIAN").mkdir(parents=True)
    (made / "usr/lib").mkdir(parents=True)
    (made / "usr/lib/libfmt.so").write_text("library")
    (made / "DEBIAN/control").write_text(
        "Package: libfmt\nVersion: 1\nArchitecture: arm64\nMaintainer: x\nDescription: x\n"
    )
    package = tmp_path / "libfmt.deb"
    subprocess.run(["dpkg-deb", "--build", made, package], check=True, capture_output=True)
    log = tmp_path / "log"
    environment = apt(
        f'echo "$@" >>{log}\ncase "$*" in *" download "*) cp {package} libfmt.deb ;; esac\n'
    )
    first = arm_root(tmp_path / "root", environment)
    assert first.returncode == 0, first.stderr
    assert (tmp_path / "root/usr/lib/libfmt.so").read_text() == "library"
    asked = log.read_text()
    assert "APT::Architecture=arm64" in asked and " libhwy-dev" in asked
    again = arm_root(tmp_path / "root", environment)
    assert again.returncode == 0 and "has all" in again.stdout
    assert log.read_text() == asked
