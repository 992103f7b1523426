// Every format but Google Benchmark's: what is read, what is left out, what is refused.
#include "harness/foreign/import/formats.h"

#include <gmock/gmock.h>

#include "harness/foreign/import/times.h"
#include "harness/foreign/import/units.h"
#include "harness/foreign/testing/foreign_support.h"

namespace nsop::foreign::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(GoText, RepeatedLinesAreSamplesAndPackagesTellNamesApart) {
  const ForeignRead read = test::read(
      "goos: linux\r\ngoarch: amd64\r\npkg: a/x\r\ncpu: Fast CPU\r\n"
      "BenchmarkF/k=v-8   1000   12.5 ns/op   16 B/op   1 allocs/op\r\n"
      "BenchmarkF/k=v-8   2000   64 MB/s   16 B/op   13.5 ns/op   1 allocs/op\r\n"
      "PASS\r\nok  a/x 1.2s\r\npkg: a/y\r\n"
      "BenchmarkF/k=v-8   10   3 us/op\r\nBenchmarkNone-8  10  5 widgets\r\n"
      "BenchmarkVerbose\r\nBenchmarkBroken-8  hello 100 12 ns/op\r\n"
      "--- FAIL: BenchmarkBad-8\r\n--- SKIP: BenchmarkSkip\r\nBenchmarks are fun\r\n");
  EXPECT_STREQ(read.format->name, "go");
  EXPECT_THAT(
      lines_of(read.file),
      ElementsAre("BenchmarkF/k=v-8 pkg=a/x ok: 12.5 13.5", "BenchmarkF/k=v-8 pkg=a/y ok: 3000",
                  "BenchmarkBad-8 pkg=a/y error: [it failed]",
                  "BenchmarkSkip pkg=a/y unsupported: [it was skipped]"));
  EXPECT_THAT(left_out(read.file),
              ElementsAre("1 it has no time per operation",
                          "1 its line is broken: something was printed into it"));
  const ForeignRow& first = read.file.runs()[0].rows[0];
  EXPECT_EQ(first.allocs_and_bytes.kept().at(0), std::pair(1.0, 16.0));
  EXPECT_EQ(first.samples.kept()[1].metrics.at("MB/s"), 64);
  EXPECT_EQ(read.file.runs()[0].context.os, "linux/amd64");
}

TEST(GoText, ALineWithoutAnEndMayHaveLostDigits) {
  const std::string text = "goos: linux\nBenchmarkA 10 5 ns/op\nBenchmarkB 10 123";
  EXPECT_THAT(refusal(text), HasSubstr("truncated"));
  EXPECT_THAT(lines_of(test::read(text, {.salvage = true}).file), ElementsAre("BenchmarkA ok: 5"));
}

TEST(PytestBenchmark, DataAreSamplesAndElseTheMedianIsASummary) {
  const ForeignRead read = test::read(
      R"({"machine_info":{"node":"box","python_version":"3.11","cpu":{"brand_raw":"C"}},
          "commit_info":{"id":"abc","dirty":true},"benchmarks":[
          {"fullname":"t.py::a[1-<x>]","param":"1-<x>","params":{"f":"<object at 0x7f>"},
           "stats":{"iterations":10,"rounds":3,"median":1,"data":[1e-6,2e-6,NaN]}},
          {"fullname":"t.py::b","param":null,"stats":{"iterations":1,"rounds":7,"median":0.5,"mean":9}},
          {"fullname":"t.py::c","stats":{"rounds":7,"median":null}}],
          "datetime":"2026-01-31T12:00:00.123456+00:00","version":"4.0.0"})");
  EXPECT_STREQ(read.format->name, "pytest-benchmark");
  EXPECT_THAT(lines_of(read.file), ElementsAre("t.py::a[1-<x>] ok: 1000 2000",
                                               "t.py::b ok: 5e+08 (median of 7 rounds)"));
  EXPECT_THAT(left_out(read.file),
              ElementsAre("1 it has neither samples nor a median", "1 the time is no number"));
  EXPECT_EQ(read.file.runs()[0].context.started_utc, "2026-01-31T12:00:00Z");
}

TEST(Hyperfine, AFailedRunIsNoTime) {
  const ForeignRead read = test::read(
      R"({"results":[{"command":"a, \"b\"","parameters":{"n":"1"},"times":[0.5,0.25],"exit_codes":[0,0]},
          {"command":"killed","mean":0.0,"median":0.0,"times":[0.0],"exit_codes":[null]},
          {"command":"some","times":[0.1,0.2],"exit_codes":[0,137]},
          {"command":"old","mean":2,"median":1}]})");
  EXPECT_STREQ(read.format->name, "hyperfine");
  EXPECT_THAT(
      lines_of(read.file),
      ElementsAre("a, \"b\" p.n=1 ok: 5e+08 2.5e+08", "killed error: [the command was killed]",
                  "some ok: 1e+08", "old ok: 1e+09 (median of its runs)"));
  EXPECT_THAT(left_out(read.file), ElementsAre("1 a run of the command failed"));
}

TEST(Csv, DeclaredColumnsAreRead) {
  const ForeignOptions options{.read = {"name=N,time=T:us,param=P,repetition=R"}};
  const ForeignRead read = test::read(
      "N,P,T,R\r\n\"a, \"\"b\"\"\nc\",1,5,0\r\n\"a, "
      "\"\"b\"\"\nc\",1,6,1\r\nx,1,\"1,5\",0\r\nx,1\r\n\r\n",
      options);
  EXPECT_THAT(lines_of(read.file), ElementsAre("a, \"b\"?c p.P=1 ok: 5000 6000"));
  EXPECT_THAT(left_out(read.file), ElementsAre("1 its number of fields is not that of the header",
                                               "1 the time is no number"));
  EXPECT_THAT(refusal("N,P,T,R\na,1,5,0\na,1,5,0\n", options), HasSubstr("is there twice"));
  EXPECT_THAT(refusal("N,P,T,R\na,1,5,0\n\"a,1,5,0\n", options), HasSubstr("truncated"));
  for (const char* columns : {"name=N", "name=N,time=T", "name=N,time=T:parsec", "name=N,time=Z:ns",
                              "nome=N,time=T:ns", "name=N,time=T:ns,separator=dot"}) {
    EXPECT_THROW(test::read("N,T\na,1\n", {.read = {columns}}), Error) << columns;
  }
  EXPECT_THROW(test::read("N,T\na,1\n", {.format = "csv"}), Error);
}

TEST(Criterion, LinesOfTheToolAreToldFromThoseOfOthers) {
  const std::string text =
      "   Compiling x v0.1.0\n{not json\n{\"reason\":\"compiler-artifact\"}\n"
      "{\"reason\":\"benchmark-complete\",\"id\":\"g/f/"
      "1\",\"unit\":\"ns\",\"iteration_count\":[10,20],"
      "\"measured_values\":[100,220]}\n"
      "{\"reason\":\"benchmark-complete\",\"id\":\"g/"
      "bytes\",\"unit\":\"cycles\",\"iteration_count\":[1],"
      "\"measured_values\":[1]}\n{\"reason\":\"group-complete\"}\n";
  const ForeignRead read = test::read(text);
  EXPECT_STREQ(read.format->name, "criterion");
  EXPECT_THAT(lines_of(read.file), ElementsAre("g/f/1 ok: 10 11"));
  EXPECT_THAT(left_out(read.file), ElementsAre("1 its unit is no time"));
  EXPECT_THAT(refusal(text + text), HasSubstr("'g/f/1' is there twice"));
  const std::string cut = text + "{\"reason\":\"benchmark-complete\",\"id\":\"h";
  EXPECT_THAT(refusal(cut), HasSubstr("truncated"));
  EXPECT_THAT(lines_of(test::read(cut, {.salvage = true}).file), ElementsAre("g/f/1 ok: 10 11"));
}

TEST(Jmh, ForksAreProcessesAndModesAreOtherRows) {
  const ForeignRead read = test::read(
      R"([{"jmhVersion":"1.37","benchmark":"a.B.c","mode":"thrpt","threads":2,"params":{"n":"8"},
           "primaryMetric":{"score":4,"scoreUnit":"ops/ms","rawData":[[4,5],[8]]},
           "secondaryMetrics":{"·gc.alloc.rate.norm":{"score":16,"scoreUnit":"B/op"},
                               "reader":{"score":"NaN","scoreUnit":"ops/ms","rawData":[["NaN",2]]}}},
          {"benchmark":"a.B.c","mode":"sample","threads":2,"params":{"n":"8"},
           "primaryMetric":{"score":4,"scoreUnit":"us/op","rawDataHistogram":[[[[1,2],[3,1]]]]}},
          {"benchmark":"a.B.d","mode":"avgt","primaryMetric":{"score":"NaN","scoreUnit":"ns/op"}},
          {"benchmark":"a.B.e","mode":"avgt","primaryMetric":{"score":7,"scoreUnit":"ns/op"}}])");
  EXPECT_STREQ(read.format->name, "jmh");
  EXPECT_THAT(lines_of(read.file), ElementsAre("a.B.c mode=thrpt p.n=8 ok: 250000 200000 125000",
                                               "a.B.c mode=thrpt p.n=8 member=reader ok: 500000",
                                               "a.B.c mode=sample p.n=8 ok: 1000 1000 3000",
                                               "a.B.e mode=avgt ok: 7 (score of 0 iterations)"));
  EXPECT_EQ(read.file.runs()[0].rows[0].samples.kept()[2].process, 1);
  EXPECT_THAT(left_out(read.file),
              ElementsAre("1 its score is no number", "1 the result of a profiler",
                          "1 the time is no number"));
}

TEST(BenchmarkDotNet, WithoutStatisticsARowFailed) {
  const ForeignRead read = test::read(
      R"json({"HostEnvironmentInfo":{"BenchmarkDotNetVersion":"0.13","ProcessorName":"C"},"Benchmarks":[
          {"FullName":"N.T.M(N: 1)","Parameters":"N=1","DisplayInfo":"T.M: Job-A(Runtime=8) [N=1]",
           "Statistics":{"N":2,"OriginalValues":[1,2]},"Measurements":[
            {"IterationMode":"Overhead","IterationStage":"Actual","Operations":10,"Nanoseconds":1},
            {"IterationMode":"Workload","IterationStage":"Actual","Operations":10,"Nanoseconds":99},
            {"IterationMode":"Workload","IterationStage":"Result","Operations":10,"Nanoseconds":50}]},
          {"FullName":"N.T.M(N: 1)","Parameters":"N=1","DisplayInfo":"T.M: Job-B [N=1]",
           "Statistics":{"N":2,"OriginalValues":[1,2]}},
          {"FullName":"N.T.X","Statistics":null}]})json");
  EXPECT_STREQ(read.format->name, "benchmark-dotnet");
  EXPECT_THAT(lines_of(read.file), ElementsAre("N.T.M(N: 1) parameters=N=1 job=Job-A ok: 5",
                                               "N.T.M(N: 1) parameters=N=1 job=Job-B ok: 1 2",
                                               "N.T.X error: [it has no statistics: it failed]"));
}

TEST(BenchmarkDotNet, OldFilesNameTheirRowsInParts) {
  const ForeignRead read = test::read(
      R"json({"HostEnvironmentInfo":{"ProcessorName":{"IsValueCreated":true,"Value":"C"}},"Benchmarks":[
          {"Namespace":"N","Type":"T","Method":"M","Statistics":{"OriginalValues":[4,5]}},
          {"Namespace":null,"Method":"Alone","Statistics":{"Median":6,"N":3}},
          {"Statistics":{"Median":6}}]})json");
  EXPECT_THAT(lines_of(read.file),
              ElementsAre("N.T.M ok: 4 5", "Alone ok: 6 (median of 3 iterations)"));
  EXPECT_THAT(left_out(read.file), ElementsAre("1 it has no name"));
  EXPECT_EQ(read.file.runs()[0].context.cpu_model, "C");
}

constexpr const char* kCatch = R"(<?xml version="1.0"?>
<Catch2TestRun name="t"><TestCase name="a &lt;b>"><Section name="s">
<BenchmarkResults name="x &amp; y" samples="10"><!--ns--><mean value="275.5"/><outliers/></BenchmarkResults>
<BenchmarkResults name="z"><failed message="boom"/></BenchmarkResults>
</Section></TestCase><TestCase name="c"><BenchmarkResults name="x &amp; y" samples="1"><mean value="1"/>
<outliers/></BenchmarkResults></TestCase></Catch2TestRun>)";

TEST(Catch2, MeansAreSummaries) {
  for (const std::string root : {"Catch2TestRun", "Catch"}) {
    std::string xml = kCatch;
    for (size_t at = 0; (at = xml.find("Catch2TestRun")) != std::string::npos && root == "Catch";) {
      xml.replace(at, 13, root);
    }
    const ForeignRead read = test::read(xml);
    EXPECT_STREQ(read.format->name, "catch2");
    EXPECT_THAT(lines_of(read.file),
                ElementsAre("x & y in=a <b>/s ok: 275.5 (mean of 10 samples)",
                            "z in=a <b>/s error: [boom]", "x & y in=c ok: 1 (mean of 1 samples)"));
  }
}

TEST(Catch2, ATruncatedOrDeepTextIsRefused) {
  const std::string xml = kCatch;
  const size_t end = xml.find("<BenchmarkResults name=\"z");
  EXPECT_THAT(refusal(xml.substr(0, end)), HasSubstr("truncated"));
  EXPECT_THAT(lines_of(test::read(xml.substr(0, end), {.salvage = true}).file),
              ElementsAre("x & y in=a <b>/s ok: 275.5 (mean of 10 samples)"));
  // Half a number is none.
  const size_t half = xml.find("275.5") + 2;
  EXPECT_THAT(refusal(xml.substr(0, half)), HasSubstr("truncated"));
  EXPECT_THAT(refusal(xml.substr(0, half), {.salvage = true}), HasSubstr("nothing to import"));
  std::string deep = "<Catch>";
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_THAT(refusal(deep), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(refusal("<Catchy></Catchy>"), HasSubstr("neither Catch nor Catch2TestRun"));
}

TEST(Nanobench, UnescapedNamesAreRead) {
  const ForeignRead read = test::read(
      "{\"results\":[{\"title\":\"t\",\"name\":\"a \"b\" c\",\"batch\":4,\"epochs\":2,"
      "\"median(elapsed)\":1e-9,\"measurements\":[{\"iterations\":10,\"elapsed\":2e-9},"
      "{\"iterations\":11,\"elapsed\":3e-9}]},"
      "{\"title\":\"t\",\"name\":\"m\",\"epochs\":2,\"median(elapsed)\":5e-9}]}");
  EXPECT_STREQ(read.format->name, "nanobench");
  EXPECT_THAT(lines_of(read.file),
              ElementsAre("a \"b\" c title=t ok: 2 3", "m title=t ok: 5 (median of 2 epochs)"));
}

TEST(ActionData, EachCommitIsARunAndUnitsAreRead) {
  ForeignRead read = test::read(
      R"(window.BENCHMARK_DATA = {"lastUpdate":1,"repoUrl":"u","entries":{"S":[
         {"commit":{"id":"aaa"},"date":1700000000000,"tool":"cargo","benches":[
           {"name":"f","value":10,"unit":"ns/iter"},{"name":"g","value":2,"unit":"ops/sec"},
           {"name":"h","value":2,"unit":"MB/s"},{"name":"i","value":"12","unit":"ns"}]},
         {"commit":{"id":"bbb"},"date":1700000100000,"tool":"cargo","benches":[
           {"name":"f","value":1,"unit":"us"}]}]}})");
  EXPECT_STREQ(read.format->name, "action-data");
  EXPECT_THAT(lines_of(read.file), ElementsAre("f suite=S ok: 10 (value of one commit)",
                                               "g suite=S ok: 5e+08 (value of one commit)",
                                               "f suite=S ok: 1000 (value of one commit)"));
  EXPECT_THAT(left_out(read.file),
              ElementsAre("1 its unit is no time", "1 its value is no number"));
  const auto found = records(read);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].run.started_utc, "2023-11-14T22:13:20Z");
}

TEST(Asv, CombinationsAreRowsFailedOnesAreNoTimes) {
  const ForeignRead read = test::read(
      R"({"commit_hash":"abc","env_name":"py3.11","date":1700000000000,"params":{"machine":"box"},
          "result_columns":["result","params","version","samples"],"results":{
           "b.T.time_x":[[1e-6,null,NaN,4e-6],[["1","2"],["'a'","'b'"]],"v",[[1e-6,3e-6],null,null,null]],
           "b.T.track_y":[[5],[],"v"],"b.time_z":[null,[],"v"],"b.time_w":[[1,2],[],"v"]},"version":2})");
  EXPECT_STREQ(read.format->name, "asv");
  EXPECT_THAT(
      lines_of(read.file),
      ElementsAre("b.T.time_x p.1=1 p.2='a' ok: 1000 3000",
                  "b.T.time_x p.1=1 p.2='b' error: [it failed]",
                  "b.T.time_x p.1=2 p.2='a' unsupported: [it was skipped]",
                  "b.T.time_x p.1=2 p.2='b' ok: 4000 (result)", "b.time_z error: [it failed]"));
  EXPECT_THAT(left_out(read.file),
              ElementsAre("1 it is no time (time_...)",
                          "1 its results are not as many as its parameters say"));
}

TEST(Bencher, LatencyAndThroughputAreTimes) {
  const ForeignRead read = test::read(
      R"({"a":{"latency":{"value":5,"lower_value":4},"throughput":{"value":1000}},
          "b":{"file-size":{"value":3}},"c":{"latency":{"value":null}}})");
  EXPECT_STREQ(read.format->name, "bencher");
  EXPECT_THAT(lines_of(read.file),
              ElementsAre("a ok: 5 (value)", "a measure=throughput ok: 1e+06 (value)"));
  EXPECT_THAT(left_out(read.file),
              ElementsAre("1 a measure that is no time", "1 its value is no number"));
}

TEST(Units, AreTimesOrInverseTimes) {
  EXPECT_EQ(ns_per_op(3, "\xc2\xb5s/iter"), 3000);
  EXPECT_EQ(ns_per_op(60, "ops/min"), 1e9);
  EXPECT_EQ(ns_per_op(0, "ops/s"), 0);
  for (const char* unit : {"", "B/op", "MB/s", "ops/parsec", "%", "s/s"}) {
    EXPECT_EQ(ns_per_op(1, unit), std::nullopt) << unit;
  }
}

TEST(Times, AreReadWithTheirZones) {
  EXPECT_EQ(utc_of_iso8601("2026-01-31T12:00:00.5-05:30"), "2026-01-31T17:30:00Z");
  EXPECT_EQ(utc_of_iso8601("2026-01-31 12:00:00"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_of_iso8601("2026-02-31T12:00:00Z"), "");
  EXPECT_EQ(utc_of_iso8601("yesterday"), "");
}

}  // namespace
}  // namespace nsop::foreign::test
