"""What is measured in shards, and a cluster of two nodes."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from harness.cli.testing.repository_support import ROOT

SCRIPT = ROOT / "harness/shards/testing/slurm.sh"
MISSING = 77


class Cluster:
    """A private Slurm (harness/shards/testing/slurm.sh); its commands need `environment`."""

    def __init__(self, nodes=2):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nsop-slurm-", dir="/tmp"))
        done = self._script("start", str(nodes), check=False)
        if done.returncode != 0:
            self._script("stop", check=False)
            shutil.rmtree(self.folder, ignore_errors=True)
            if done.returncode != MISSING or os.environ.get("NSOP_TEST_FULL"):
                pytest.fail(f"no cluster comes up: {done.stderr}", pytrace=False)
            pytest.skip(done.stderr.strip())
        self.environment = {"SLURM_CONF": done.stdout.strip()}

    def _script(self, what, *arguments, check=True):
        return subprocess.run(
            [SCRIPT, what, self.folder, *arguments],
            capture_output=True,
            text=True,
            check=check,
            timeout=120,
        )

    def kill(self, node):
        self._script("kill", node)

    def again(self, node):
        self._script("again", node)

    def call(self, *command):
        """What a command of Slurm's prints."""
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env=dict(os.environ, **self.environment),
        )
        return done.stdout.strip()

    def stop(self):
        self._script("stop", check=False)


@pytest.fixture
def cluster():
    own = Cluster()
    yield own
    own.stop()


@pytest.fixture
def measured():
    """Arguments that measure eight cases, two rows each, in a second or so each."""
    cases = [f"relu pass=forward n={n} range=-3:3" for n in range(100, 900, 100)]
    return [*cases, "--variant", "hwy", "--variant", "elementwise", "--rounds", "3"]


@pytest.fixture
def on_nodes(nsop):
    """`nsop` where several nodes measure: what it merged, with the exit code that this asks for.

    Two nodes may differ by more than the merge allows: it doubts both then, and exits with 3.
    """

    def call(*arguments, **options):
        done = nsop(*arguments, "--json", code=None, **options)
        assert done.returncode in (0, 3), f"{arguments}\n{done.stdout}\n{done.stderr}"
        result = json.loads(done.stdout[done.stdout.index("{") :])
        assert done.returncode == (3 if result["doubts"] else 0), done.stdout
        return result

    return call
