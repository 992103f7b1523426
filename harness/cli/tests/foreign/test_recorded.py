"""Files that other tools wrote, whole: rows read, stored, and left out by reason."""

import json
from pathlib import Path

import pytest

RECORDED = Path(__file__).parent / "recorded"

# By file: format, rows read, what its run holds, and what is left out.
EXPECTED = {
    "google_benchmark_1.7.1.json": (
        "google-benchmark",
        51,
        dict(rows=8, samples=19, summaries=1, failures=1),
        {"aggregate of repetitions": 29},
    ),
    "go_1.19.txt": ("go", 13, dict(rows=5, samples=12, summaries=0, failures=1), {}),
    "pytest_benchmark_3.2.2.json": (
        "pytest-benchmark",
        4,
        dict(rows=4, samples=17, summaries=0, failures=0),
        {},
    ),
    "hyperfine_1.15.0.json": (
        "hyperfine",
        3,
        dict(rows=3, samples=6, summaries=0, failures=1),
        {},
    ),
    "catch2_2.13.10.xml": ("catch2", 4, dict(rows=4, samples=3, summaries=3, failures=1), {}),
}


def test_every_recorded_file_is_expected():
    files = {path.name for path in RECORDED.iterdir()} - {"README.md"}
    assert files == set(EXPECTED)


@pytest.mark.parametrize("file", EXPECTED)
def test_what_is_read_stored_and_left_out(nsop, file):
    format_name, rows_read, stored, left_out = EXPECTED[file]
    [found] = json.loads(nsop("import", str(RECORDED / file), "--json").stdout)["files"]
    assert (found["format"], found["rows_read"]) == (format_name, rows_read)
    [run] = found["runs"]
    assert {key: run[key] for key in stored} == stored
    assert {one["reason"]: one["count"] for one in found["left_out"]} == left_out
    assert nsop("db", "verify").returncode == 0


def test_files_of_several_tools_of_one_machine_are_stored_together(nsop):
    files = [str(RECORDED / file) for file in EXPECTED]
    found = json.loads(nsop("import", *files, "--host", "vm", "--json").stdout)["files"]
    assert [file["format"] for file in found] == [expected[0] for expected in EXPECTED.values()]
    assert len({run["host"] for file in found for run in file["runs"]}) == 1
    nsop("db", "verify")


def test_names_are_those_of_the_tools(nsop):
    """What `--format gbench` calls the rows of Google Benchmark is what it called them itself."""
    file = RECORDED / "google_benchmark_1.7.1.json"
    nsop("import", str(file))
    own = {
        row["run_name"]
        for row in json.loads(file.read_text())["benchmarks"]
        if row["aggregate_name" if "aggregate_name" in row else "run_name"] not in ("BigO", "RMS")
    }
    out = json.loads(nsop("export", "--format", "gbench").stdout)["benchmarks"]
    assert {row["name"] for row in out} == own
    failed = [row for row in out if row.get("error_occurred")]
    assert [row["error_message"] for row in failed] == ['no "device", <here>']


def test_a_recorded_file_that_is_cut_off_anywhere_gives_no_other_number(nsop, tmp_path):
    """Every hundredth beginning of the file: refused, or salvaged with times that it really has."""
    text = (RECORDED / "google_benchmark_1.7.1.json").read_text()
    whole = {
        round(row["real_time"] * (1000 if row["time_unit"] == "us" else 1), 6)
        for row in json.loads(text)["benchmarks"]
        if "real_time" in row
    }
    kept = 0
    for size in range(1000, len(text) - 10, len(text) // 12):
        cut = tmp_path / f"{size}.json"
        cut.write_text(text[:size])
        assert nsop("import", str(cut), code=4).stderr.count("\n") == 1
        done = nsop("import", str(cut), "--salvage", code=None)
        assert done.returncode in (0, 4)
        if done.returncode == 0:
            out = json.loads(nsop("export", "--format", "gbench").stdout)["benchmarks"]
            for row in out:
                if not row.get("error_occurred"):
                    assert min(abs(row["real_time"] - one) for one in whole) < 2e-6 * max(
                        1, row["real_time"]
                    )
                    kept += 1
    assert kept > 20
