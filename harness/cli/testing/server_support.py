"""A private PostgreSQL server for tests (harness/store/testing/postgres.sh)."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from harness.cli.testing.repository_support import ROOT

SCRIPT = ROOT / "harness/store/testing/postgres.sh"
MISSING = 77


class Server:
    """`address` names a database of it; database() makes another."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nsop-pg-", dir="/tmp"))
        done = self._script("start", check=False)
        if done.returncode == MISSING:
            shutil.rmtree(self.folder)
            if os.environ.get("NSOP_TEST_FULL"):
                pytest.fail(done.stderr, pytrace=False)
            pytest.skip(done.stderr.strip())
        assert done.returncode == 0, done.stderr
        self.address = done.stdout.strip()
        self.made = 0

    def _script(self, what, check=True):
        command = [SCRIPT, what, self.folder]
        return subprocess.run(command, capture_output=True, text=True, check=check, timeout=120)

    def database(self):
        """The address of a new database, which is empty."""
        self.made += 1
        self.sql(f"CREATE DATABASE made_{self.made}")
        return self.address.replace("///nsop?", f"///made_{self.made}?")

    def sql(self, statement, address=None):
        """What psql prints, unaligned."""
        done = subprocess.run(
            ["psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]
            + [address or self.address],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def kill(self):
        self._script("kill")

    def again(self):
        self._script("again")

    def stop(self):
        self._script("stop", check=False)


def as_user(address, user):
    return address.replace("user=nsop_admin", f"user={user}")


def runs_of(nsop, address):
    """The starts of their ids."""
    listed = nsop("list", "runs", "--json", "--db", address).stdout
    return sorted(run["run"] for run in json.loads(listed)["runs"])


def exports(nsop, address=None):
    """What nsop exports of each run of a database, of its own without an address."""
    address = address or nsop.environment["NSOP_DB"]
    return {run: nsop("export", run, "--db", address).stdout for run in runs_of(nsop, address)}
