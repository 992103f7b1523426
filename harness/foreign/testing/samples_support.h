// A small file of each format, as its tool writes it: what the tests of traps damage.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/foreign/testing/foreign_support.h"

namespace nsop::foreign::test {

struct SampleFile {
  const char* format;
  std::string text;
  // A second row of the first row's identity, to be put behind it; empty: the format can't say one
  // thing twice, or means a repetition.
  std::string before_twin, twin;
  std::string columns{};  // of CSV
};

// Every number of them has several digits, none the beginning of another.
inline std::vector<SampleFile> sample_files_of_raw_samples() {
  const std::string google =
      R"({"name":"BM_a","run_name":"BM_a","run_type":"iteration","repetition_index":0,)"
      R"("iterations":1111,"real_time":12345.5,"cpu_time":12345.5,"time_unit":"ns"})";
  const std::string python =
      R"({"fullname":"t.py::a","param":null,"stats":{"iterations":11,"data":[0.125,0.25]}})";
  const std::string jmh =
      R"({"benchmark":"a.B.c","mode":"avgt","primaryMetric":{"scoreUnit":"ns/op","rawData":[[456.25,457.5]]}})";
  const std::string hyper = R"({"command":"sleep 1","times":[1.015625,1.03125]})";
  const std::string criterion =
      R"({"reason":"benchmark-complete","id":"f","unit":"ns","iteration_count":[10,20],)"
      R"("measured_values":[12340,24700]})"
      "\n";
  return {
      {"google-benchmark",
       R"({"context":{"num_cpus":8},"benchmarks":[)" + google +
           R"(,{"name":"BM_b","run_type":"iteration","iterations":2222,"real_time":6789,"cpu_time":NaN,"time_unit":"us"}]})",
       google, "," + google},
      {"go",
       "goos: linux\npkg: a/x\nBenchmarkA-8 1000 12345 ns/op\nBenchmarkA-8 1000 12346.5 ns/op\n"
       "PASS\nok  a/x 1.2s\n",
       "", ""},
      {"pytest-benchmark",
       R"({"machine_info":{"python_version":"3.11"},"benchmarks":[)" + python +
           R"(,{"fullname":"t.py::b","stats":{"rounds":7,"median":0.0625}}],"version":"4.0.0"})",
       python, "," + python},
      {"criterion",
       criterion + R"({"reason":"benchmark-complete","id":"g","unit":"us","iteration_count":[10],)"
                   R"("measured_values":[56789]})",
       criterion, criterion},
      {"jmh",
       "[" + jmh +
           R"(,{"benchmark":"a.B.d","mode":"avgt","primaryMetric":{"score":789.5,"scoreUnit":"ns/op"}}])",
       jmh, "," + jmh},
      {"hyperfine", R"({"results":[)" + hyper + R"(,{"command":"old","mean":2.5,"median":2.25}]})",
       hyper, "," + hyper},
  };
}

inline std::vector<SampleFile> sample_files_of_others() {
  const std::string dotnet =
      R"({"FullName":"N.T.M","Statistics":{"N":2,"OriginalValues":[4321.5,4323.5]}})";
  const std::string catch2 =
      R"(<BenchmarkResults name="x" samples="10"><mean value="275.5"/><outliers/></BenchmarkResults>)";
  const std::string nano =
      R"({"name":"a","title":"t","epochs":2,"measurements":[{"elapsed":0.125},{"elapsed":0.25}]})";
  const std::string action = R"({"name":"f","value":1234,"unit":"ns/iter"})";
  return {
      {"benchmark-dotnet",
       R"({"HostEnvironmentInfo":{"BenchmarkDotNetVersion":"0.13"},"Benchmarks":[)" + dotnet + "]}",
       dotnet, "," + dotnet},
      {"catch2",
       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Catch name=\"t\"><TestCase name=\"c\">" +
           catch2 + "</TestCase></Catch>\n",
       catch2, catch2},
      {"nanobench", R"({"results":[)" + nano + "]}", nano, "," + nano},
      {"action-data",
       R"(window.BENCHMARK_DATA = {"lastUpdate":1,"repoUrl":"u","entries":{"S":[)"
       R"({"commit":{"id":"aaa"},"date":1700000000000,"tool":"cargo","benches":[)" +
           action + "]}]}}",
       action, "," + action},
      {"asv",
       R"({"commit_hash":"abc","env_name":"e","result_columns":["result","params","version"],)"
       R"("results":{"b.time_z":[[0.00048828125],[],"v"],"b.time_y":0.0009765625}})",
       R"([[0.00048828125],[],"v"])", R"(,"b.time_z":[[0.00048828125],[],"v"])"},
      {"bencher",
       R"({"a":{"latency":{"value":5432.5,"lower_value":5431}},"b":{"latency":{"value":654}}})",
       R"({"value":654}})", R"(,"a":{"latency":{"value":5432.5}})"},
      {"csv", "N,T\na,1234\n\"b, c\",5678\n", "a,1234\n", "a,1234\n", "name=N,time=T:ns"},
  };
}

inline std::vector<SampleFile> sample_files() {
  std::vector<SampleFile> all = sample_files_of_raw_samples();
  for (SampleFile& one : sample_files_of_others()) all.push_back(std::move(one));
  return all;
}

inline ForeignOptions options_of(const SampleFile& one) {
  ForeignOptions options{.format = one.format};
  options.read.columns = one.columns;
  return options;
}

// Every time that was stored, in ns.
inline std::set<double> times_of(const ForeignFile& file) {
  std::set<double> times;
  for (const ForeignRun& run : file.runs()) {
    for (const ForeignRow& row : run.rows) {
      for (const ForeignSample& sample : row.samples.kept()) times.insert(sample.ns);
    }
  }
  return times;
}

}  // namespace nsop::foreign::test
