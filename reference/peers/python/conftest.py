"""What the tests of all Python peers share."""

import functools
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reference.peers.python.testing import awkward_cases_support

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin"


@pytest.fixture(scope="session")
def nsop(tmp_path_factory):
    """Runs nsop, with the interpreter of these tests for the peers."""
    if not (BIN / "nsop").exists():
        pytest.skip("nsop is not built")
    folder = tmp_path_factory.mktemp("nsop")
    own = {"XDG_CACHE_HOME": "cache", "NSOP_LOCK": "lock", "NSOP_DB": "t.db"}
    paths = {name: str(folder / file) for name, file in own.items()}
    environment = {**os.environ, **paths, "NSOP_PYTHON": sys.executable}

    def call(*arguments, codes=(0,)):
        command = [BIN / "nsop", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=900
        )
        assert done.returncode in codes, f"{arguments}\n{done.stdout[-2000:]}\n{done.stderr}"
        return done

    return call


@pytest.fixture(scope="session")
def results(nsop):
    """Compares a worker with the oracle on the awkward cases of its ops: the results by op."""
    listing = subprocess.run([BIN / "nsop-worker", "--list"], capture_output=True, text=True)
    known = {line.split(":")[0] for line in listing.stdout.splitlines() if line[:1] != " "}

    @functools.cache
    def of(library):
        ops = importlib.import_module(f"{library}_worker").OPS
        lines = awkward_cases_support.of(known & set(ops))
        worker = ROOT / f"reference/peers/python/{library}_worker.py"
        done = nsop("verify", "--json", "--worker", str(worker), *lines, codes=(0, 1))
        found = json.loads(done.stdout)
        assert found["protocol_problems"] == [] and found["protocol_checks"] >= 10
        by_op = {}
        for row in found["rows"]:
            by_op.setdefault(row["case"].split()[0], []).append(row)
        return by_op

    def call(library, op):
        if op not in known:
            pytest.skip(f"the reference has no {op}")
        return of(library)[op]

    return call
