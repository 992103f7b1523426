"""Tools of Debian run here: what they write is imported, and what is exported they read."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

GO = shutil.which("go")
HYPERFINE = shutil.which("hyperfine")
CATCH2 = Path("/usr/include/catch2/catch.hpp")
COMPARE = Path("/usr/share/benchmark/compare.py")
GO_PARSER = Path("/usr/share/gocode/src/golang.org/x/tools/benchmark/parse/parse.go")
HEADER = Path("/usr/include/benchmark/benchmark.h")


def needs(there, package):
    return pytest.mark.skipif(not there, reason=f"Debian's {package} is not installed")


def imported(nsop, *arguments):
    [file] = json.loads(nsop("import", *map(str, arguments), "--json").stdout)["files"]
    [run] = file["runs"]
    return file, run


def exported(nsop):
    """The stored samples, as the CSV export says them: {case: [ns per op]}."""
    found = {}
    for row in csv.DictReader(io.StringIO(nsop("export", "--format", "csv").stdout)):
        found.setdefault(row["case"], []).append(float(row["ns_per_op"] or "nan"))
    return found


def built(folder, source, *flags):
    program = folder / "program"
    (folder / "program.cpp").write_text(textwrap.dedent(source))
    subprocess.run(
        ["g++", "-O1", "-std=c++17", folder / "program.cpp", "-o", program, *flags], check=True
    )
    return program


@needs(HEADER.exists(), "libbenchmark-dev")
def test_google_benchmark(nsop, tmp_path):
    program = built(
        tmp_path,
        """
        #include <benchmark/benchmark.h>
        template <class T> static void BM_sum(benchmark::State& state) {
          for (auto _ : state) { T x = 1; benchmark::DoNotOptimize(x); }
          state.counters["items"] = 3;
        }
        BENCHMARK_TEMPLATE(BM_sum, int)->Arg(8)->Iterations(20000);
        BENCHMARK_TEMPLATE(BM_sum, int)->Arg(9)->Iterations(20000)->Threads(2)->UseRealTime();
        BENCHMARK_TEMPLATE(BM_sum, long)->Iterations(20000)->Repetitions(4)->ReportAggregatesOnly();
        static void BM_fails(benchmark::State& state) {
          state.SkipWithError("no device");
          for (auto _ : state) {}
        }
        BENCHMARK(BM_fails);
        BENCHMARK_MAIN();
        """,
        "-lbenchmark",
        "-lpthread",
    )
    out = tmp_path / "out.json"
    subprocess.run(
        [program, "--benchmark_repetitions=3", f"--benchmark_out={out}"],
        check=True,
        capture_output=True,
    )
    file, run = imported(nsop, out)
    rows = json.loads(out.read_text())["benchmarks"]
    own = [row["real_time"] for row in rows if row["name"] == "BM_sum<int>/8/iterations:20000"]
    assert file["format"] == "google-benchmark" and file["rows_read"] == len(rows)
    assert (run["rows"], run["samples"], run["summaries"], run["failures"]) == (4, 7, 1, 1)
    [(_, times)] = [one for one in exported(nsop).items() if one[0].endswith("/8/iterations:20000")]
    assert times == pytest.approx(own, rel=2e-6)
    left_out = {one["reason"]: one["count"] for one in file["left_out"]}
    aggregates = [row for row in rows if row["run_type"] == "aggregate"]
    assert left_out == {"aggregate of repetitions": len(aggregates) - 1}


GO_TEST = """
package sum
import "testing"
var sink int
func BenchmarkOf(b *testing.B) {
  b.Run("größe=64 <k,\\"x\\">", func(b *testing.B) {
    b.ReportAllocs()
    for i := 0; i < b.N; i++ { sink += len(make([]int, 64+i%2)) }
  })
}
func BenchmarkSkipped(b *testing.B) { b.Skip("not here") }
func BenchmarkLogs(b *testing.B) { b.Log("said"); sink++ }
func BenchmarkFails(b *testing.B) { b.Fatal("broken") }
"""


@pytest.fixture
def go(tmp_path):
    """Runs go without a network, with caches of its own."""
    environment = dict(
        os.environ,
        HOME=str(tmp_path / "home"),
        GOPATH=str(tmp_path / "gopath"),
        GOFLAGS="-mod=mod",
        GOPROXY="off",
    )

    def call(*arguments, cwd, code=0, **options):
        environment.update(options.pop("env", {}))
        done = subprocess.run(
            [GO, *arguments], cwd=cwd, env=environment, text=True, capture_output=True, **options
        )
        assert code in (done.returncode, None), done.stdout + done.stderr
        return done.stdout

    return call


@needs(GO, "golang-go")
@pytest.mark.slow
def test_go(nsop, go, tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "go.mod").write_text("module example.com/sum\n\ngo 1.19\n")
    (package / "sum_test.go").write_text(GO_TEST)
    arguments = ["-bench", ".", "-benchtime", "200x", "-count", "3", "-cpu", "1"]
    out = tmp_path / "go.txt"
    out.write_text(go("test", *arguments, cwd=package, code=1))
    file, run = imported(nsop, out)
    assert file["format"] == "go" and file["left_out"] == []
    assert (run["rows"], run["samples"], run["failures"]) == (3, 6, 1)
    text = nsop("export", "--format", "benchstat").stdout
    assert text.count('BenchmarkOf/größe=64_<k,"x"> 200 ') == 3
    assert "pkg: example.com/sum\n" in text and "--- FAIL: BenchmarkFails\n" in text


@needs(
    shutil.which("python3") and Path("/usr/lib/python3/dist-packages/pytest_benchmark").exists(),
    "python3-pytest-benchmark",
)
def test_pytest_benchmark(nsop, tmp_path):
    (tmp_path / "test_sum.py").write_text(
        textwrap.dedent(
            """
        import pytest
        @pytest.mark.parametrize("f", [object()], ids=['<f>, "x" ß'])
        def test_object(benchmark, f):
            benchmark.pedantic(lambda: f, rounds=4, iterations=2)
        def test_fails(benchmark):
            benchmark.pedantic(lambda: 1 / 0, rounds=1)
        """
        )
    )
    out = tmp_path / "out.json"
    subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
        + [f"--rootdir={tmp_path}", f"--benchmark-json={out}", "test_sum.py"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    file, run = imported(nsop, out)
    assert (file["format"], file["rows_read"], run["rows"], run["samples"]) == (
        "pytest-benchmark",
        1,  # a failed test isn't in the file
        1,
        4,
    )
    [data] = [row["stats"]["data"] for row in json.loads(out.read_text())["benchmarks"]]
    [times] = exported(nsop).values()
    assert sorted(times) == pytest.approx(sorted(one * 1e9 for one in data), rel=2e-6)


@needs(HYPERFINE, "hyperfine")
def test_hyperfine(nsop, tmp_path):
    out = tmp_path / "out.json"
    commands = ["sleep 0.00{n}", "sh -c 'exit {n}'"]
    subprocess.run(
        [HYPERFINE, "-N", "-r", "3", "-i", "-P", "n", "1", "2", "--export-json", out, *commands],
        check=True,
        capture_output=True,
    )
    file, run = imported(nsop, out, "--host", "box")
    assert (file["format"], file["rows_read"], run["rows"]) == ("hyperfine", 4, 4)
    assert (run["samples"], run["failures"]) == (6, 2)
    results = json.loads(out.read_text())["results"]
    for row in results:
        if any(row["exit_codes"]):
            continue
        [times] = [
            t
            for case, t in exported(nsop).items()
            if f"{row['parameters']['n']} p.n" in case and "sleep" in case
        ]
        assert times == pytest.approx([one * 1e9 for one in row["times"]], rel=2e-6)


@needs(CATCH2.exists(), "catch2")
@pytest.mark.slow
def test_catch2(nsop, tmp_path):
    program = built(
        tmp_path,
        """
        #define CATCH_CONFIG_MAIN
        #define CATCH_CONFIG_ENABLE_BENCHMARKING
        #include <catch2/catch.hpp>
        TEST_CASE("sums <a>, \\"b\\"") {
          SECTION("small & large") {
            BENCHMARK("größe") { return 1; };
            BENCHMARK("throws") -> int { throw std::runtime_error("no device"); };
          }
        }
        TEST_CASE("other") { BENCHMARK("größe") { return 1; }; }
        """,
    )
    out = tmp_path / "out.xml"
    flags = ["--benchmark-samples", "3", "--benchmark-no-analysis"]
    subprocess.run([program, "-r", "xml", "-o", out, *flags], check=True)
    file, run = imported(nsop, out, "--host", "box")
    assert file["format"] == "catch2" and file["left_out"] == []
    assert (run["rows"], run["samples"], run["summaries"], run["failures"]) == (3, 2, 2, 1)
    assert sorted(exported(nsop)) == [
        "foreign tool=catch2 name=größe in=other",
        "foreign tool=catch2 name=größe in=sums%20<a>%2C%20%22b%22/small%20&%20large",
        "foreign tool=catch2 name=throws in=sums%20<a>%2C%20%22b%22/small%20&%20large",
    ]


@pytest.fixture
def measured(nsop):
    """The id of a run of ours: two rows, six rounds."""
    cases = "relu pass=forward n=1000,2000 range=-3:3"
    nsop("run", cases, "--variant", "hwy", "--rounds", "6", "--quiet")
    return json.loads(nsop("list", "runs", "--json").stdout)["runs"][0]["run"]


@needs(COMPARE.exists(), "libbenchmark-tools")
def test_compare_py_reads_what_is_exported_of_a_measured_run(nsop, measured, tmp_path):
    file = tmp_path / "a.json"
    nsop("export", measured, "--format", "gbench", "--out", str(file))
    report = tmp_path / "report.json"
    subprocess.run(
        [sys.executable, COMPARE, "--no-color", "-d", report, "benchmarks", file, file],
        check=True,
        capture_output=True,
    )
    rows = {row["name"]: row for row in json.loads(report.read_text())}
    own = json.loads(file.read_text())["benchmarks"]
    for name in {row["name"] for row in own}:
        times = [row["real_time"] for row in own if row["name"] == name]
        assert [m["real_time"] for m in rows[name]["measurements"]] == times
        assert {m["time"] for m in rows[name]["measurements"]} == {0.0}


GO_READER = """
package main
import ("encoding/json"; "os"; "golang.org/x/tools/benchmark/parse")
func main() {
  set, err := parse.ParseSet(os.Stdin)
  if err != nil { panic(err) }
  if err := json.NewEncoder(os.Stdout).Encode(set); err != nil { panic(err) }
}
"""


@needs(GO and GO_PARSER.exists(), "golang-go, golang-golang-x-tools-dev")
@pytest.mark.slow
def test_go_reads_what_is_exported_of_a_measured_run(nsop, go, measured, tmp_path):
    text = nsop("export", measured, "--format", "benchstat").stdout
    (tmp_path / "main.go").write_text(GO_READER)
    gopath = f"{tmp_path / 'gopath'}:/usr/share/gocode"
    found = json.loads(
        go(
            *("run", "main.go"),
            cwd=tmp_path,
            input=text,
            env=dict(GO111MODULE="off", GOFLAGS="", GOPATH=gopath),
        )
    )
    own = {}
    for line in text.splitlines():
        if line.startswith("Benchmark"):
            name, iterations, *pairs = line.split()
            values = dict(zip(pairs[1::2], map(float, pairs[::2])))
            own.setdefault(name, []).append((int(iterations), values))
    assert len(own) == 2 and set(found) == set(own)
    for name, lines in own.items():
        assert [(row["N"], row["NsPerOp"]) for row in found[name]] == [
            (n, values["ns/op"]) for n, values in lines
        ]
        assert {row["AllocsPerOp"] for row in found[name]} == {
            values["allocs/op"] for _, values in lines
        }
        assert len(lines) == 6
