"""nsop-dqn2048 as its users meet it, and its file as the report reads it."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
BUILD = pathlib.Path(os.environ.get("NSOP_BUILD_DIR", ROOT / "build/dev"))


def learn(*arguments):
    command = [BUILD / "bin/nsop-dqn2048", "learn", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_run_writes_what_the_report_is_made_of(tmp_path):
    path = tmp_path / "curve.json"
    done = learn("--episodes", "1", "--hidden", "4", "--seed", "7", "--out", str(path))
    curve = json.loads(path.read_text())
    reached = curve["ratio"] >= 1.5  # of one game nothing is learned, some luck is possible
    assert done.returncode == (0 if reached else 1) and done.stderr == ""
    assert f"goal 1.5: {'reached' if reached else 'missed'}" in done.stdout
    scores = curve["scores"]
    assert (curve["seed"], curve["episodes"], curve["evaluated"]) == (7, 1, 100)
    assert len(scores) == 101 and all(score > 0 and score % 4 == 0 for score in scores)
    assert curve["evaluated_mean"] == pytest.approx(sum(scores[1:]) / 100)
    assert curve["ratio"] == pytest.approx(curve["evaluated_mean"] / curve["random_mean"])
    origin = curve["origin"]
    assert re.fullmatch("[0-9a-f]{40}|unknown", origin["commit"])
    assert isinstance(origin["dirty"], bool)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", origin["started_utc"])
    assert set(origin["host"]) == {"cpu_model", "family", "model"}
    report = [sys.executable, ROOT / "reports/nsop_report/learning.py", "--no-plots"]
    subprocess.run([*report, "--out", tmp_path, path], check=True, timeout=60)
    kept = json.loads((tmp_path / "dqn_learning.json").read_text())["runs"]
    assert [run["ratio"] for run in kept] == [curve["ratio"]]
    page = (tmp_path / "dqn_learning.md").read_text()
    assert "| 7 | 1 |" in page and origin["started_utc"][:10] in page


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["--seed", "-1"], 2, "--seed: expected a whole number from 0"),
        (["--episodes", "0"], 2, "--episodes: Value 0 not in range 1 to 1000000"),
        (["--hidden", "4097"], 2, "--hidden: Value 4097 not in range 1 to 4096"),
        (["--hidden", "wide"], 2, "--hidden"),
        (["--out", "{tmp}"], 5, "can't be written: is a folder"),
        (["--out", "{tmp}/none/curve.json"], 5, "can't be written: No such file"),
    ],
)
def test_bad_input_gets_one_line(tmp_path, arguments, code, words):
    done = learn(*[argument.format(tmp=tmp_path) for argument in arguments])
    lines = done.stderr.splitlines()
    assert done.returncode == code and len(lines) == 1 and words in lines[0], done.stderr
    assert list(tmp_path.iterdir()) == []
