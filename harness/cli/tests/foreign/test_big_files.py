"""Files of 100 MB: read as streams, in memory that their size doesn't decide."""

import json
import os
import subprocess

import pytest

from harness.cli.testing.repository_support import BIN

pytestmark = pytest.mark.slow

SIZE = 100_000_000
MOST_MIB = 256  # of the whole process: of a longer file no more samples are kept


def write_google(out):
    out.write('{"context": {"num_cpus": 1}, "benchmarks": [')
    label, rows = "x" * 2000, 0
    while out.tell() < SIZE:
        for i in range(100):
            out.write(
                ("," if rows else "")
                + f'{{"name": "BM_{rows % 500}", "run_type": "iteration", "iterations": 7, '
                + f'"repetition_index": {rows // 500}, "real_time": {5 + i}, "label": "{label}"}}'
            )
            rows += 1
    out.write("]}")
    return rows, 500


def write_go(out):
    out.write("goos: linux\npkg: a/x\n")
    rows = 0
    while out.tell() < SIZE:
        for i in range(1000):
            out.write(
                f"BenchmarkSort/n={i}-8 \t 1000 \t {100 + i}.5 ns/op \t 16 B/op \t 1 allocs/op\n"
            )
        rows += 1000
    return rows, 1000


def write_csv(out):
    out.write("name,run,time\n")
    rows = 0
    while out.tell() < SIZE:
        out.write("".join(f"row {i},{rows // 1000},{100 + i}\n" for i in range(1000)))
        rows += 1000
    return rows, 1000


def write_criterion(out):
    rows = 0
    while out.tell() < SIZE:
        counts, times = list(range(1, 2001)), [100 * i for i in range(1, 2001)]
        message = dict(reason="benchmark-complete", id=f"row {rows}", unit="ns")
        out.write(json.dumps(dict(message, iteration_count=counts, measured_values=times)) + "\n")
        rows += 1
    return rows, rows


@pytest.mark.parametrize(
    "write, arguments",
    [
        (write_google, []),
        (write_go, []),
        (write_csv, ["--columns", "name=name,time=time:ns,repetition=run"]),
        (write_criterion, []),
    ],
)
def test_a_file_of_100_mb_takes_little_memory(nsop, tmp_path, write, arguments):
    file, said = tmp_path / "big", tmp_path / "said"
    with file.open("w") as out:
        lines, rows = write(out)
    assert file.stat().st_size >= SIZE
    with said.open("w") as out:
        process = subprocess.Popen(
            [BIN / "nsop", "import", file, "--json", *arguments], stdout=out, env=nsop.environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    [found] = json.loads(said.read_text())["files"]
    assert found["rows_read"] == lines and found["runs"][0]["rows"] == rows
    assert usage.ru_maxrss < MOST_MIB << 10
