// The form `scaling`: which cases are one series, and what a sample of them takes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

// Two series of one name, one of them out of order, one on two threads, and a case without a batch.
Suite scaling_suite() {
  return parse_suite(R"([report]
name = "scaling"
title = "Layers over the batch"
about = "What a sample takes in batches of 1 to 128."
form = "scaling"
before = "elementwise"
after = "hwy"
peers = ["numpy", "onednn"]

[[cases]]
label = "Conv2D"
case = "conv2d pass=forward in=128x16x8x8,1x16x8x8,8x16x8x8 out=16 k=3 s=1 p=1 bias=1"

[[cases]]
label = "Conv2D"
case = "conv2d pass=forward in=1x16x8x8,8x16x8x8 out=16 k=1 s=1 p=0 bias=1"

[[cases]]
label = "Products"
case = "matmul m=16 n=16 k=16 trans=nn batch=8,32,128"
threads = [2]

[[cases]]
label = "Add"
case = "add n=1000"
)",
                     "scaling.toml", suite_forms());
}

// A call costs `fixed_ns`, a sample `each_ns`; peers need less for a call and more for a sample.
void add_batch(FakeRun& fake, const std::string& text, int threads, double fixed_ns, double each_ns,
               int batch) {
  fake.time({text, "hwy", "AVX2", threads}, fixed_ns + each_ns * batch);
  if (threads == 1) fake.time({text, "elementwise", "BASELINE", 1}, 20 * each_ns * batch);
  fake.time({text, "numpy", "1.24", threads}, 4 * fixed_ns + 3 * each_ns * batch);
  fake.time({text, "onednn", "2.6", threads}, fixed_ns / 2 + 1.5 * each_ns * batch);
}

FakeRun scaling_run() {
  FakeRun fake("88888888-8888-4888-8888-888888888888");
  for (const int batch : {1, 8, 128}) {
    const auto text =
        fmt::format("conv2d pass=forward in={}x16x8x8 out=16 k=3 s=1 p=1 bias=1", batch);
    add_batch(fake, text, 1, 1'000, 4'000, batch);
  }
  const std::string point = "conv2d pass=forward in=1x16x8x8 out=16 k=1 s=1 p=0 bias=1";
  fake.time({point, "hwy", "AVX2", 1}, 900, 3);  // too few to be sure
  fake.fail({point, "onednn", "2.6", 1}, Status::kUnsupported, "no such convolution");
  for (const int batch : {8, 32, 128}) {
    add_batch(fake, fmt::format("matmul m=16 n=16 k=16 trans=nn batch={}", batch), 2, 800, 300,
              batch);
  }
  fake.time({"add n=1000", "hwy", "AVX2", 1}, 55);
  return fake;
}

Json scaling_report(const Suite& suite = scaling_suite()) {
  return build_report(suite, scaling_run().data(), std::nullopt);
}

TEST(ReportGolden, Scaling) { expect_golden(scaling_report(), "scaling"); }

TEST(Scaling, ASeriesIsOfCasesThatDifferInTheirBatchOnly) {
  const Json sections = scaling_report()["sections"];
  EXPECT_EQ(sections[0]["title"], "Conv2D Forward in=Nx16x8x8 k=3 p=1");
  EXPECT_EQ(sections[1]["title"], "Conv2D Forward in=Nx16x8x8 k=1 p=0");
  EXPECT_EQ(sections[2]["title"], "Products, 2 threads");
  EXPECT_EQ(sections[2]["notes"][0], "N is the batch: matmul m=16 n=16 k=16 trans=nn batch=N");
}

TEST(Scaling, RowsAreInTheOrderOfTheBatchWithTheTimeOfASample) {
  const Json table = scaling_report()["sections"][0]["tables"][0];
  ASSERT_EQ(table["rows"].size(), 3U);
  const std::vector<std::string> batches{"1", "8", "128"}, samples{"5.00 µs", "4.13 µs", "4.01 µs"};
  for (size_t i = 0; i < batches.size(); ++i) {
    EXPECT_EQ(cell_of(table, i, "batch")["text"], batches[i]);
    EXPECT_EQ(cell_of(table, i, "per_sample")["text"], samples[i]);
  }
  EXPECT_EQ(cell_of(table, 0, "vs_best_peer")["verdict"], "better");
  const Json times = table_with(scaling_report()["sections"][0], "time_numpy@best");
  EXPECT_EQ(cell_of(times, 0, "time_numpy@best")["text"], "16.0 µs");
}

// A sample has the interval of its operation, divided alike; others have theirs.
TEST(Scaling, TheTimeOfASampleHasItsInterval) {
  const Json section = scaling_report()["sections"][0];
  const Json& whole = cell_of(section["tables"][0], 1, "time");
  const Json& each = cell_of(section["tables"][0], 1, "per_sample");
  ASSERT_EQ(each["interval"].size(), 2U);
  for (const size_t end : {0, 1}) {
    EXPECT_DOUBLE_EQ(each["interval"][end].get<double>(), whole["interval"][end].get<double>() / 8);
  }
  EXPECT_LT(each["interval"][0].get<double>(), each["value"].get<double>());
  const Json& other = cell_of(table_with(section, "time_numpy@best"), 1, "per_sample_numpy@best");
  EXPECT_NEAR(other["value"].get<double>(), 3 * 4'000 + 4 * 1'000 / 8.0, 200);
}

TEST(Scaling, EfficiencyIsTheShareOfTheFastestBatch) {
  const Json table = scaling_report()["sections"][0]["tables"][0];
  const Json& one = cell_of(table, 0, "efficiency");
  EXPECT_NEAR(one["value"].get<double>(), 4.01 / 5, 0.02);
  EXPECT_LT(one["interval"][0].get<double>(), one["value"].get<double>());
  EXPECT_GT(one["interval"][1].get<double>(), one["value"].get<double>());
  EXPECT_NEAR(cell_of(table, 1, "efficiency")["value"].get<double>(), 4.01 / 4.13, 0.02);
  EXPECT_EQ(cell_of(table, 2, "efficiency")["text"], "100 %");
  const Json none = scaling_report()["sections"][3]["tables"][0];
  EXPECT_EQ(cell_of(none, 0, "efficiency")["text"], "n/a") << "no batch, no samples";
}

// Of a recurrent layer the batch is the second extent; a training case takes a batch in each call.
TEST(Scaling, TheBatchIsWhatTheLineSweepsOver) {
  Suite suite = scaling_suite();
  suite.cases.resize(2);
  suite.cases[0].line = "lstm pass=forward in=20x1x64,20x8x64 hidden=64";
  suite.cases[0].label = "LSTM";
  suite.cases[1].line = "dqn_update batch=4,16 calls=10";
  suite.cases[1].label = "Update";
  suite.cases[1].operation = "";
  FakeRun fake("88888888-8888-4888-8888-888888888888");
  fake.time({"lstm pass=forward in=20x1x64 hidden=64", "hwy", "AVX2", 1}, 900);
  fake.time({"lstm pass=forward in=20x8x64 hidden=64", "hwy", "AVX2", 1}, 4'000);
  fake.time({"dqn_update batch=4 calls=10", "hwy", "AVX2", 1}, 80'000);
  fake.time({"dqn_update batch=16 calls=10", "hwy", "AVX2", 1}, 160'000);
  const Json sections = build_report(suite, fake.data(), std::nullopt)["sections"];
  EXPECT_EQ(sections[0]["notes"][0], "N is the batch: lstm pass=forward in=20xNx64 hidden=64");
  const Json& lstm = sections[0]["tables"][0];
  EXPECT_EQ(cell_of(lstm, 1, "batch")["text"], "8");
  EXPECT_NEAR(cell_of(lstm, 1, "per_sample")["value"].get<double>(), 500, 10);
  const Json& update = sections[1]["tables"][0];
  EXPECT_EQ(cell_of(update, 0, "batch")["text"], "4");
  EXPECT_NEAR(cell_of(update, 0, "per_sample")["value"].get<double>(), 2'000, 40);
  const Json& line = sections[1]["plots"][0]["panels"][0]["series"][0];
  EXPECT_EQ(line["x"], Json({4.0, 16.0}));
  EXPECT_NEAR(line["y"][1].get<double>(), 1'000, 20);
}

TEST(Scaling, WhatIsInDoubtOrMissingSaysSo) {
  const Json table = scaling_report()["sections"][1]["tables"][0];
  EXPECT_EQ(cell_of(table, 0, "per_sample")["text"], "900 ns ?");
  const Json times = table_with(scaling_report()["sections"][1], "time_onednn@best");
  EXPECT_EQ(cell_of(times, 0, "time_onednn@best")["text"], "unsupported");
  EXPECT_EQ(cell_of(table, 1, "per_sample")["text"], "not measured");
  EXPECT_EQ(cell_of(table, 1, "time")["text"], "not measured");
}

TEST(Scaling, ACaseWithoutABatchHasItsTimeOnly) {
  const Json section = scaling_report()["sections"][3];
  EXPECT_EQ(section["title"], "Add");
  EXPECT_EQ(section["notes"][0], "No batch in: add n=1000");
  EXPECT_EQ(cell_of(section["tables"][0], 0, "batch")["text"], "none");
  EXPECT_EQ(cell_of(section["tables"][0], 0, "time")["text"], "55.1 ns");
  EXPECT_EQ(cell_of(section["tables"][0], 0, "per_sample")["text"], "n/a");
  EXPECT_TRUE(section["plots"].empty());
}

TEST(Scaling, ThePlotIsTheTimeOfASampleOverTheBatch) {
  const Json plot = scaling_report()["sections"][2]["plots"][0];
  EXPECT_EQ(plot["kind"], "lines");
  ASSERT_EQ(plot["panels"].size(), 1U);
  const Json& ours = plot["panels"][0]["series"][0];
  EXPECT_EQ(ours["label"], "hwy");
  EXPECT_EQ(ours["x"], Json({8.0, 32.0, 128.0}));
  EXPECT_NEAR(ours["y"][2].get<double>(), 300 + 800 / 128.0, 10);
}

TEST(Scaling, WithoutPeersTheRatioIsToBefore) {
  Suite suite = scaling_suite();
  suite.peers.clear();
  const Json table = scaling_report(suite)["sections"][0]["tables"][0];
  EXPECT_EQ(cell_of(table, 0, "speedup")["verdict"], "better");
  suite.before = {};
  const Json alone = scaling_report(suite)["sections"][0]["tables"][0];
  EXPECT_EQ(alone["columns"].size(), 4U);
}

}  // namespace
}  // namespace nsop::report
