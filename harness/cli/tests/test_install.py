"""nsop in any folder, and an installed copy far from its sources."""

import json
import os
import subprocess

import pytest

from harness.cli.testing.repository_support import BIN


@pytest.fixture
def installed(tmp_path):
    """The folder of programs of an installed copy."""
    prefix = tmp_path / "prefix"
    command = ["cmake", "--install", BIN.parent, "--prefix", prefix]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return prefix / "bin"


def call(program, folder, *arguments):
    env = {key: value for key, value in os.environ.items() if not key.startswith("NSOP_")}
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("which", ["built", "installed"])
def test_it_measures_and_reports_in_an_empty_folder(which, installed, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    program = (BIN if which == "built" else installed) / "nsop"
    db = folder / "here.db"
    assert "activations" in call(program, folder, "list", "suites", "--db", db)
    line = "relu pass=forward n=100 range=-3:3"
    call(program, folder, "run", line, "--variant", "hwy", "--rounds", "6", "--quiet", "--db", db)
    out = folder / "out"
    call(program, folder, "report", "--suite", "activations", "--db", db, "--out", out)
    assert "# ReLU, tanh and sigmoid" in (out / "activations.md").read_text()


def test_an_installed_copy_counts_allocations(installed, tmp_path):
    """Its library lies in lib/, not beside the programs."""
    line = "relu pass=forward n=64 range=-3:3"
    own = ["--variant", "elementwise", "--rounds", "2", "--json", "--quiet"]
    found = call(installed / "nsop", tmp_path, "run", line, *own, "--db", tmp_path / "here.db")
    assert [row["allocs_per_op"] for row in json.loads(found)["rows"]] == [1.0]
    assert not (installed / "libnsop_alloc.so").exists()


def test_what_is_installed_is_what_the_programs_read(installed):
    share = installed.parent / "share/nsop"
    found = {path.relative_to(share).as_posix() for path in share.rglob("*") if path.is_file()}
    assert {
        "harness/suites/layers.toml",
        "reports/nsop_report/__main__.py",
        "reports/templates/report.md.j2",
        "reports/assets/site/core.js",
        "reports/assets/uplot/LICENSE",
        "reference/peers/python/nsop_peer.py",
        "reference/peers/python/numpy_ops/norm.py",
        "reference/published/easyrobot.csv",
    } <= found
    assert not any("test_" in path or "__pycache__" in path for path in found)
