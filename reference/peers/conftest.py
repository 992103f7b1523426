"""What the tests of all Python peers share."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin"


def has_module(name):
    return importlib.util.find_spec(name) is not None


def need(library):
    if not has_module(library):
        pytest.skip(f"{library} is not installed; run: make peers")


@pytest.fixture
def nsop(tmp_path):
    """Runs nsop, with the interpreter of these tests for the peers."""
    if not (BIN / "nsop").exists():
        pytest.skip("nsop is not built")
    own = {"XDG_CACHE_HOME": "cache", "NSOP_LOCK": "lock", "NSOP_DB": "t.db"}
    paths = {name: str(tmp_path / file) for name, file in own.items()}
    environment = {**os.environ, **paths, "NSOP_PYTHON": sys.executable}

    def call(*arguments, code=0):
        command = [BIN / "nsop", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600
        )
        assert done.returncode == code, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done

    return call


@pytest.fixture
def known_ops(nsop):
    """Ops that the reference knows, by which a peer can be checked."""
    listing = subprocess.run([BIN / "nsop-worker", "--list"], capture_output=True, text=True)
    return {line.split(":")[0] for line in listing.stdout.splitlines() if not line.startswith(" ")}


@pytest.fixture
def verify(nsop, known_ops):
    """Compares a worker with the oracle on case lines; the results by case."""

    def call(library, lines):
        lines = [line for line in lines if line.split()[0] in known_ops]
        if not lines:
            pytest.skip("the reference has none of these ops")
        worker = ROOT / f"reference/peers/{library}_worker.py"
        done = json.loads(nsop("verify", "--json", "--worker", str(worker), *lines).stdout)
        assert done["protocol_problems"] == [] and done["protocol_checks"] >= 10
        return done["rows"]

    return call
