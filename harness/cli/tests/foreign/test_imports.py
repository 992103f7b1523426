"""Results of other tools: imported, compared among themselves, exported for them."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.tests.conftest import one_line

COMPARE = Path("/usr/share/benchmark/compare.py")  # Debian: libbenchmark-tools


def google_benchmark(times, name="BM_copy<float>/64", day=1, **more):
    rows = [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": len(times),
            "repetition_index": i,
            "iterations": 1000,
            "real_time": time,
            "cpu_time": time,
            "time_unit": "ns",
            **more,
        }
        for i, time in enumerate(times)
    ]
    aggregate = dict(rows[0], run_type="aggregate", aggregate_name="mean", name=name + "_mean")
    context = {"date": f"2026-01-{day:02}T12:00:00+00:00", "host_name": "box", "num_cpus": 4}
    return {"context": context, "benchmarks": rows + [aggregate]}


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def imported(nsop, *arguments):
    return json.loads(nsop("import", *arguments, "--json").stdout)["files"]


@pytest.fixture
def two_runs(nsop, tmp_path):
    """The ids of two runs: the second one's times are half of the first one's."""
    first = write(tmp_path / "a.json", google_benchmark([100 + i % 3 for i in range(20)]))
    second = write(tmp_path / "b.json", google_benchmark([50 + i % 3 for i in range(20)], day=2))
    return [file["runs"][0]["run"] for file in imported(nsop, first, second)]


def test_two_imported_runs_are_compared(nsop, two_runs):
    diff = json.loads(nsop("diff", *two_runs, "--json").stdout)
    assert diff["comparable"]
    (row,) = diff["rows"]
    assert row["case"] == "foreign tool=google-benchmark name=BM_copy<float>/64"
    assert row["verdict"] == "better"
    assert row["time"]["hi"] < 0.6


def test_they_have_a_history_of_their_own(nsop, two_runs, tmp_path):
    (again,) = imported(nsop, write(tmp_path / "c.json", google_benchmark([50], day=3)))
    host = again["runs"][0]["host"]
    history = json.loads(nsop("history", "foreign name=*", "--host", host, "--json").stdout)
    assert [round(point["wall_ns"]) for point in history["rows"][0]["points"]] == [101, 51, 50]
    plot = tmp_path / "plot.svg"
    nsop("history", "foreign name=*", "--host", host, "--plot", str(plot))
    assert "<svg" in plot.read_text()
    listed = json.loads(nsop("list", "runs", "--json").stdout)["runs"]
    assert {run["origin"] for run in listed} == {"imported"} and len(listed) == 3
    nsop("db", "verify")


def test_a_summary_or_a_single_sample_gets_no_interval(nsop, tmp_path):
    runs = []
    for day, time in ((1, 100), (2, 10)):
        rows = google_benchmark([time] * 3, day=day)
        rows["benchmarks"] = [dict(rows["benchmarks"][-1], aggregate_name="median")]
        (file,) = imported(nsop, write(tmp_path / f"{day}.json", rows))
        assert (file["runs"][0]["summaries"], file["runs"][0]["samples"]) == (1, 1)
        runs.append(file["runs"][0]["run"])
    (row,) = json.loads(nsop("diff", *runs, "--json", code=3).stdout)["rows"]
    assert row["verdict"] == "inconclusive" and "at least 2 invocations" in row["note"]


def test_import_says_what_it_left_out_and_a_second_one_changes_nothing(nsop, tmp_path):
    file = write(tmp_path / "a.json", google_benchmark([5, 0, 6]))
    first = nsop("import", file).stderr
    assert "google-benchmark, 4 rows read" in first
    assert "1 row, 2 samples" in first
    assert "left out: 1: aggregate of repetitions, first BM_copy<float>/64" in first
    assert "left out: 1: the time is 0: nothing was measured" in first
    assert "stored already" in nsop("import", file).stderr
    assert len(json.loads(nsop("list", "runs", "--json").stdout)["runs"]) == 1


def test_a_truncated_file_is_bad_data_and_makes_no_database(nsop, tmp_path):
    text = json.dumps(google_benchmark([5, 6, 7]))
    file = write(tmp_path / "a.json", text[: text.rindex("{")])
    assert "keep its 1 complete row with --salvage" in one_line(nsop("import", file, code=4))
    assert not (tmp_path / "t.db").exists()
    (salvaged,) = imported(nsop, file, "--salvage")
    assert salvaged["truncated"] and salvaged["runs"][0]["samples"] == 3


@pytest.mark.parametrize(
    "content, arguments, code, words",
    [
        ("hello\n", [], 4, "no known format"),
        ("[" * 1_000_000, [], 4, "no known format"),
        ("[" * 1_000_000, ["--format", "jmh"], 4, "nested more than 64 deep"),
        ("{}", ["--format", "google-benchmrk"], 2, "did you mean 'google-benchmark'?"),
        ("a,b\n1,2\n", ["--columns", "name=a,time=c:ns"], 2, "has no column 'c'"),
        ("a,b\n1,2\n", ["--format", "csv"], 2, "needs --columns"),
        ("BenchmarkA 1 5 ns/op\n", ["--started", "yesterday"], 2, "--started 'yesterday'"),
        ("BenchmarkA 1 5 ns/op\n", ["--started", "2999-01-01T00:00:00Z"], 4, "in the future"),
        ('{"schema":"nsop.run/9","type":"run"}\n', [], 4, "use the nsop that wrote it"),
        ("BenchmarkA 1 0 ns/op\n", [], 4, "nothing to import: 1 rows were read"),
    ],
    ids=range(10),
)
def test_what_cannot_be_read_is_refused(nsop, tmp_path, content, arguments, code, words):
    file = write(tmp_path / "x", content)
    assert words in one_line(nsop("import", file, *arguments, code=code))


def test_names_of_any_kind_come_back(nsop, tmp_path):
    names = ["a<b>, \"c\" 'd'", "line\nend", "\x1b[31mred", "größe 🚀", "a=b|c*d%20e", "= 1+1"]
    rows = [google_benchmark([7], name=name)["benchmarks"][0] for name in names]
    file = google_benchmark([7])
    file["benchmarks"] = rows
    imported(nsop, write(tmp_path / "a.json", file))
    shown = nsop("history", "foreign name=*", "--host", _host(nsop)).stdout
    assert "\x1b" not in shown and len(shown.splitlines()) == 1 + len(names)
    out = json.loads(nsop("export", "--format", "gbench").stdout)
    assert [row["name"] for row in out["benchmarks"]] == names
    table = list(csv.DictReader(io.StringIO(nsop("export", "--format", "csv").stdout)))
    assert len(table) == len(names) and {row["ns_per_op"] for row in table} == {"7"}


def _host(nsop):
    text = nsop("export").stdout.splitlines()[1]
    return json.loads(text)["id"]


def test_a_criterion_folder_is_read(nsop, tmp_path):
    for kind in ("base", "new", "change"):
        folder = tmp_path / "criterion" / "sum_of" / kind
        folder.mkdir(parents=True)
        write(folder / "benchmark.json", {"full_id": "sum/of", "group_id": "sum"})
        write(
            folder / "sample.json", {"iters": [10, 20], "times": [100 if kind == "new" else 1, 220]}
        )
    (file,) = imported(nsop, str(tmp_path / "criterion"), "--host", "box")
    assert (file["rows_read"], file["runs"][0]["samples"]) == (1, 2)
    table = list(csv.DictReader(io.StringIO(nsop("export", "--format", "csv").stdout)))
    assert [row["ns_per_op"] for row in table] == ["10", "11"]
    (tmp_path / "empty").mkdir()
    said = one_line(nsop("import", str(tmp_path / "empty"), code=4))
    assert "no folder of Criterion.rs" in said


def test_standard_input_is_read(nsop):
    done = nsop("import", "-", "--json", input="BenchmarkA-8 10 5 ns/op\n")
    assert json.loads(done.stdout)["files"][0]["format"] == "go"


@pytest.mark.skipif(not COMPARE.exists(), reason="Debian's libbenchmark-tools is not installed")
def test_compare_py_reads_what_is_exported(nsop, two_runs, tmp_path):
    files = []
    for run in two_runs:
        files.append(str(tmp_path / f"{run}.json"))
        nsop("export", run, "--format", "gbench", "--out", files[-1])
    report = tmp_path / "report.json"
    subprocess.run(
        [sys.executable, COMPARE, "--no-color", "-d", report, "benchmarks", *files],
        check=True,
        capture_output=True,
    )
    compared = json.loads(report.read_text())
    row = next(one for one in compared if one["name"] == "BM_copy<float>/64")
    assert [m["real_time"] for m in row["measurements"]][:3] == [100, 101, 102]
    assert row["measurements"][0]["real_time_other"] == 50


def test_exports_of_a_measured_run(nsop):
    nsop(
        "run", "relu pass=forward n=1000 range=-3:3", "--variant", "hwy", "--rounds", "6", "--quiet"
    )
    lines = nsop("export", "--format", "benchstat").stdout.splitlines()
    results = [line.split() for line in lines if line.startswith("Benchmark")]
    assert len(results) == 6
    name, _, time, unit, *rest = results[0]
    assert name.startswith("BenchmarkRelu/pass=forward/n=1000/") and name.endswith("/threads=1")
    assert unit == "ns/op" and float(time) > 0 and rest[1] == "B/op" and rest[3] == "allocs/op"
    (row,) = json.loads(nsop("export", "--format", "bmf").stdout).values()
    latency = row["latency"]
    assert latency["lower_value"] <= latency["value"] <= latency["upper_value"]
    assert "--thin goes with ndjson" in one_line(
        nsop("export", "--thin", "--format", "bmf", code=2)
    )
