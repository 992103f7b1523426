"""PyTorch's deviations from the double-precision replay: the recorded runs, docs/dqn.md's table
and the tolerances of the replay are of the same numbers, and PyTorch still gives them.
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "reference/peers/python/dqn_deviation.tsv"


def table():
    """{(updates, calls): [median, 90 %, largest of losses, the same of parameters]}."""
    rows = re.findall(r"^\| (1|32) \| (\d+) \|(.*)\|$", (ROOT / "docs/dqn.md").read_text(), re.M)
    return {
        (int(updates), int(calls)): [float(cell) if cell.strip() else None for cell in cells]
        for updates, calls, row in rows
        if len(cells := row.split("|")) == 6
    }


def test_the_tolerances_are_of_the_documented_table():
    text = (ROOT / "reference/dqn2048/replay.cpp").read_text()
    documented = table()
    assert len(documented) == 6
    worst = [max(row[at] for (u, _), row in documented.items() if u == 32) for at in (2, 5)]
    for updates, name in ((1, "kOneUpdate"), (32, "kUpdateEach")):
        body = re.search(name + r" = \{\s*(.*?)\};", text, re.S).group(1)
        rows = re.findall(r"\{(\d+), ([-\d.e]+), ([-\d.e]+)\}", body)
        least = [0.0, 0.0]  # never less than of fewer calls
        assert len(rows) == (3 if updates == 1 else 4)
        for calls, losses, parameters in rows:
            row = documented.get((updates, int(calls)))
            wanted = worst if row is None else [row[1] or row[2], row[4] or row[5]]
            least = [max(pair) for pair in zip(least, wanted)]
            assert [float(losses), float(parameters)] == least, (updates, calls)


def runs_of(path):
    """{(case, seed): (hash of the inputs, deviation of losses, of parameters)}, the first lines."""
    lines = path.read_text().splitlines()
    head = "\n".join(line for line in lines if line[0] == "#")
    fields = [line.split("\t") for line in lines if line[0] != "#"]
    runs = {
        (case, int(seed)): (inputs, float(losses), float(parameters))
        for case, seed, inputs, losses, parameters in fields
    }
    return runs, head


def test_the_documented_table_is_of_the_recorded_runs():
    runs, head = runs_of(RECORD)
    assert len(runs) == 120
    assert re.match(r"# How far PyTorch [\d.]+\S* \(\w+, 1 thread\) is", head)
    version, isa = re.search(r"PyTorch ([\d.]+)\S* \((\w+),", head).groups()
    prose = " ".join((ROOT / "docs/dqn.md").read_text().split())
    assert f"PyTorch {version} on {isa}" in prose
    for (updates, calls), documented in table().items():
        case = f"dqn_train updates={updates} calls={calls}"
        found = [run[1:] for (of, _), run in runs.items() if of == case]
        assert len(found) == 20
        wanted = []
        for values in map(sorted, zip(*found)):
            # Of one call there is no 90 % quantile: the tolerance follows from the largest.
            wanted += [statistics.median(values), values[17] if calls > 1 else None, values[-1]]
        wanted = [value and float(f"{value:.2g}") for value in wanted]
        assert documented == wanted, case


def test_pytorch_still_deviates_as_recorded(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed; run: make peers")
    worker = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin/nsop-worker"
    if not worker.exists():
        pytest.skip(f"{worker} is not built")
    written = tmp_path / "again.tsv"
    program = ROOT / "reference/peers/python/dqn_deviation.py"
    command = [sys.executable, program, worker, "2", "--write", written]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (recorded, recorded_by), (again, by) = runs_of(RECORD), runs_of(written)
    assert len(again) == 12
    for run, (inputs, *deviations) in again.items():
        stored_inputs, *stored = recorded[run]
        assert inputs == stored_inputs, run
        if by == recorded_by:
            assert deviations == pytest.approx(stored, rel=1e-3), run


def test_a_file_is_not_written_by_a_worker_that_is_none(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed; run: make peers")
    program = ROOT / "reference/peers/python/dqn_deviation.py"
    written = tmp_path / "none.tsv"
    command = [sys.executable, program, tmp_path / "no-worker", "--write", written]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "no-worker is no program; make build builds it" in done.stderr
    assert not written.exists()
