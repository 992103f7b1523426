"""The clock that tests step: it tells another time, and nothing else is different."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.faults

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin/libnsop_stepped_clock.so"
ASK = """
import ctypes, time
library = ctypes.CDLL(None, use_errno=True)
ctypes.set_errno(77)
assert library.time(None) > 0
print(ctypes.get_errno(), int(time.time()))
"""


@pytest.mark.skipif(not LIBRARY.exists(), reason="a sanitizer build has no preload")
@pytest.mark.parametrize("step", [None, 86400])
def test_it_tells_another_time_and_keeps_errno(tmp_path, step):
    file = tmp_path / "clock"
    if step is not None:
        file.write_text(str(step))
    stepped = dict(os.environ, LD_PRELOAD=str(LIBRARY), NSOP_TEST_CLOCK=str(file))
    told = []
    for environment in (dict(os.environ), stepped):
        done = subprocess.run(
            [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True
        )
        told.append([int(word) for word in done.stdout.split()])
    assert [error for error, _ in told] == [77, 77]
    assert told[1][1] - told[0][1] - (step or 0) in range(3600)
