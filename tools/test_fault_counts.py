import subprocess
import sys
from pathlib import Path

import fault_counts
import pytest

SCRIPT = Path(__file__).resolve().parent / "fault_counts.py"
SAID = """Note: Google Test filter = x
bit flips of a database: 2000, found 145, the others changed nothing
columns changed: 93, all found
bit flips of an export: 9, found 9, the others changed nothing
cuts and bit flips of an event: 7, found 7, the others changed nothing
gate: 459 calls, 160 of them failed, 160 faults
20 kills: 500 invocations were stored before the last, none is lost
rogue answers: 17
94 texts of a gate
10 writers: 80 runs, 80 moves of baselines, 20 removals
16 writers of a server: 64 runs, none lost
server killed in an import: 9 times, nothing lost, nothing half
network cut in an append: 4 times, nothing lost, nothing half
server's disk full in an append: 2 times, nothing lost, nothing half
passwords: 5 addresses, none shown by gate
node killed: 1 of 8 shards measured again, 56 invocations kept
clocks of nodes: 3 wrong, each named
merges at once: 8 into a server, 16 invocations once each
"""


def table(tmp_path, said, *options):
    file, fuzz = tmp_path / "ctest.xml", tmp_path / "found"
    file.write_text(
        '<testsuite><testcase name="T.X" status="run"><system-out>'
        f"{said}</system-out></testcase></testsuite>"
    )
    fuzz.mkdir()
    (fuzz / "npy.log").write_text("#1 NEW\nstat::number_of_executed_units: 4711\n")
    command = [sys.executable, SCRIPT, *options, file, fuzz, tmp_path / "missing.xml"]
    return subprocess.run(command, capture_output=True, text=True)


def test_every_area_is_one_line_with_its_test(tmp_path):
    done = table(tmp_path, SAID, "--complete")
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()[1:]
    assert len(lines) == len(fault_counts.AREAS)
    assert "npy: 4711 inputs" in lines[-1]
    assert all("T.X" in line for line in lines[:-1]) and "Google" not in done.stdout


def test_a_program_that_ran_whole_names_its_tests(tmp_path):
    said = "[ RUN      ] A.B\nrogue answers: 17\n[       OK ] A.B (1 ms)\n[ RUN      ] A.C\n"
    lines = table(tmp_path, said + "94 texts of a gate\n").stdout.splitlines()
    assert [line for line in lines if "rogue answers: 17" in line and line.endswith("(A.B)")]
    assert [line for line in lines if "94 texts" in line and line.endswith("(A.C)")]


def test_an_area_without_a_count_is_said_and_is_not_complete(tmp_path):
    said = SAID.replace("columns changed", "columns")
    done = table(tmp_path, said, "--complete")
    assert done.returncode == 1
    assert any(line.endswith("  none") and "columns" in line for line in done.stdout.splitlines())


@pytest.mark.parametrize("line", SAID.splitlines()[1:])
def test_every_area_is_told_by_a_line_of_its_own(tmp_path, line):
    done = table(tmp_path, SAID.replace(line + "\n", ""), "--complete")
    assert done.returncode == 1
    none = [said for said in done.stdout.splitlines() if said.endswith("  none")]
    assert len(none) == 1, done.stdout


def test_without_the_option_a_part_is_enough(tmp_path):
    assert table(tmp_path, "").returncode == 0
