"""tools/scale.py fills a database that nsop takes for its own, and times what looks back on it."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
NSOP = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin/nsop"


@pytest.mark.skipif(not NSOP.exists(), reason="nsop is not built")
def test_made_up_nights_are_a_sound_history(tmp_path):
    drawn = tmp_path / "growth.svg"
    command = [sys.executable, "tools/scale.py", NSOP, tmp_path, "--rows", "7", "--figure", drawn]

    def scale(nights):
        done = subprocess.run(
            [*command, "--nights", nights], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return [line.split("|")[1:-1] for line in done.stdout.splitlines()]

    head, _, two, twelve = scale("2,12")
    assert [row[0].strip() for row in (head, two, twelve)] == ["Nights", "2", "12"]
    assert len(head) == len(two) == len(twelve)
    assert all(float(cell) >= 0 for cell in twelve[1:-2])
    assert scale("12")[2][1].strip() == "-", "the nights are there: none is imported"
    texts = "".join(ElementTree.parse(drawn).getroot().itertext())
    assert "samples stored" in texts and "history, one case" in texts
    runs = subprocess.run(
        [NSOP, "list", "runs", "--db", tmp_path / "scale.db"], capture_output=True, text=True
    )
    assert len(runs.stdout.splitlines()) == 13
    checked = [NSOP, "db", "verify", "--db", tmp_path / "scale.db"]
    assert "12 runs, 84 invocations, 0 problems" in subprocess.check_output(checked, text=True)
