"""tools/scale.py fills a database that nsop takes for its own, and times what looks back on it."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli.testing.server_support import Server

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


@pytest.mark.skipif(not NSOP.exists(), reason="nsop is not built")
def test_made_up_nights_go_to_a_server_too(tmp_path):
    server = Server()
    try:
        db = server.database()
        command = [sys.executable, "tools/scale.py", NSOP, tmp_path, "--rows", "7", "--db", db]
        done = subprocess.run(
            [*command, "--nights", "2,4", "--files", tmp_path],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        two, four = [line.split("|")[1:-1] for line in done.stdout.splitlines()][2:]
        assert [row[0].strip() for row in (two, four)] == ["2", "4"]
        assert all(float(cell) >= 0 for cell in four[1:-2]) and int(four[-1]) > 0
        assert not (tmp_path / "scale.db").exists()
        checked = subprocess.check_output([NSOP, "db", "verify", "--db", db], text=True)
        assert checked == "4 runs, 28 invocations, 0 problems\n"
        without = subprocess.run(
            [*command, "--nights", "4"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        row = without.stdout.splitlines()[2].split("|")[1:-1]
        assert row[1].strip() == "-", "the nights are there: none is imported"
        assert row[-1].strip() == "-", "nobody said where the server has its files"
    finally:
        server.stop()
