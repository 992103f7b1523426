"""stats_probe, which answers single questions with our statistics, for tests against SciPy.

The program is looked for in $NSOP_BUILD_DIR (default: build/dev), where the build put it.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev")
PROBE = BUILD / "harness" / "stats" / "stats_probe"


class Probe:
    """One running stats_probe."""

    def __init__(self):
        assert PROBE.exists(), f"{PROBE} is missing: build stats_probe or set NSOP_BUILD_DIR"
        self.process = subprocess.Popen(
            [PROBE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, fn, **arguments):
        self.process.stdin.write(json.dumps({"fn": fn, **arguments}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=10) == 0


@pytest.fixture(scope="module")
def ask():
    probe = Probe()
    yield probe
    probe.close()
