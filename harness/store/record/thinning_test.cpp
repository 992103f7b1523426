#include "harness/store/record/thinning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/store/record/exchange_parse.h"
#include "harness/store/record/metrics.h"
#include "harness/store/store.h"
#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using test::example_invocation;
using test::example_run;
using test::outcome;

// A stored run with repetitions that differ.
class ThinningTest : public testing::Test {
 protected:
  void SetUp() override {
    Invocation first = example_invocation("run-1", 0);
    first.repetitions = {{10, 123'456'789, 123'000'001, 123'000'001, 0, 3, 0},
                         {20, 200'123'456, 201'000'000, 201'000'000, 1, 2, 0},
                         {10, 130'000'000, 99'999'999, 99'999'999, 0, 9, 0}};
    first.repetitions.resize(20, first.repetitions[2]);
    first.repetitions[1].metrics = {{"moves", 1.23456789}};
    for (Repetition& one : first.repetitions) one.metrics.try_emplace("moves", 2);
    from_.put_host(test::example_host());
    from_.put_build(test::example_build());
    from_.begin_run(example_run("run-1"));
    for (int i = 0; i < 40; ++i) {
      Invocation one = first;
      one.id = std::string(32, 'f') + std::to_string(i);
      one.round = i;
      if (i == 1) one.repetitions.resize(1);
      from_.append(one);
    }
    from_.end_run("run-1", RunState::kComplete, "2026-01-01T01:00:00Z");
  }

  test::TempDir dir_;
  Store from_{dir_.db("from.db")};
  Store to_{dir_.db("to.db")};
};

TEST_F(ThinningTest, OneRepetitionStandsForAllOfAnInvocation) {
  import_run(to_, export_run(from_, "run-1", Samples::kThinned), "thin");
  const Invocation one = to_.invocations("run-1").front();
  ASSERT_EQ(one.repetitions.size(), 1U);
  const auto metrics = metrics_of(one);
  EXPECT_DOUBLE_EQ(metrics.at("wall_ns_per_op"), 200'100'000 / 20.0);  // four digits
  EXPECT_DOUBLE_EQ(metrics.at("process_cpu_ns_per_op"), 10'000'000);   // the least of all
  EXPECT_DOUBLE_EQ(metrics.at("moves"), 1.235);
  EXPECT_EQ(one.repetitions.front().minor_faults, 2);
  EXPECT_TRUE(to_.verify().problems.empty());
}

TEST_F(ThinningTest, AboveOneThreadAnUninterruptedRepetitionStandsForAll) {
  from_.begin_run(example_run("run-2"));
  Invocation one = example_invocation("run-2", 0);
  one.row.threads = 2;
  one.repetitions = {{1, 1000, 1, 1, 2, 0, 0}, {1, 3000, 1, 1, 0, 0, 0}, {1, 2000, 1, 1, 0, 0, 0}};
  from_.append(one);
  from_.end_run("run-2", RunState::kComplete, "2026-01-01T01:00:00Z");
  import_run(to_, export_run(from_, "run-2", Samples::kThinned), "thin");
  EXPECT_EQ(to_.invocations("run-2").front().repetitions.front().wall_ns, 2000);
}

TEST_F(ThinningTest, IsMuchSmallerAndComesBackAsItWent) {
  const std::string whole = export_run(from_, "run-1");
  const std::string thin = export_run(from_, "run-1", Samples::kThinned);
  EXPECT_LT(thin.size(), whole.size() / 2);
  import_run(to_, thin, "thin");
  EXPECT_EQ(export_run(to_, "run-1"), thin);
  EXPECT_EQ(export_run(to_, "run-1", Samples::kThinned), thin);
  import_run(to_, thin, "again");
}

TEST_F(ThinningTest, AWholeRunIsNeitherReplacedByAThinnedOneNorMixedWithIt) {
  const std::string whole = export_run(from_, "run-1");
  const std::string thin = export_run(from_, "run-1", Samples::kThinned);
  import_run(from_, thin, "thin");
  EXPECT_EQ(export_run(from_, "run-1"), whole);
  import_run(to_, thin, "thin");
  EXPECT_EQ(outcome([&] { import_run(to_, whole, "whole"); }).code, ExitCode::kBadData);
  EXPECT_EQ(export_run(to_, "run-1"), thin);
}

TEST_F(ThinningTest, OnlyACompleteRunIsThinned) {
  from_.begin_run(example_run("run-3"));
  const auto refused = outcome([&] { export_run(from_, "run-3", Samples::kThinned); });
  EXPECT_EQ(refused.code, ExitCode::kUsage);
  EXPECT_THAT(refused.message, testing::HasSubstr("only a complete run"));
}

RC_GTEST_PROP(Thinning, WhateverWasMeasuredIsExportedAndReadBack, ()) {
  test::TempDir dir;
  Store from(dir.db("from.db")), to(dir.db("to.db"));
  from.put_host(test::example_host());
  from.put_build(test::example_build("build-a"));
  from.begin_run(example_run("run"));
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) from.append(test::any_invocation("run", "build-a", i));
  from.end_run("run", RunState::kComplete, "2026-01-01T01:00:00Z");
  const std::string thin = export_run(from, "run", Samples::kThinned);
  import_run(to, thin, "thin");
  RC_ASSERT(export_run(to, "run") == thin);
  const auto all = from.invocations("run"), kept = to.invocations("run");
  RC_ASSERT(all.size() == kept.size());
  for (size_t i = 0; i < all.size(); ++i) {
    RC_ASSERT(kept[i].repetitions.size() == std::min<size_t>(all[i].repetitions.size(), 1));
    const auto before = metrics_of(all[i]), after = metrics_of(kept[i]);
    for (const char* name : {"allocs_per_op", "bytes_per_op"}) {
      RC_ASSERT(before.contains(name) == after.contains(name));
      if (before.contains(name)) RC_ASSERT(before.at(name) == after.at(name));
    }
  }
}

}  // namespace
}  // namespace nsop::store
