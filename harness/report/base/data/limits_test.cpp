#include "harness/report/base/data/limits.h"

#include <gtest/gtest.h>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

CaseFacts work(double flops, double bytes, double written_share) {
  return {flops, 0, bytes, bytes, bytes * written_share};
}

TEST(Level, IsTheSmallestCacheThatHoldsEachThreadsShare) {
  const Host host = limits_run().host;  // 32 KiB, 256 KiB, 9 MiB
  EXPECT_EQ(level_of(32 << 10, 1, host), Level::kL1);
  EXPECT_EQ(level_of((32 << 10) + 1, 1, host), Level::kL2);
  EXPECT_EQ(level_of(64 << 10, 2, host), Level::kL1);
  EXPECT_EQ(level_of(300 << 10, 1, host), Level::kL3);
  EXPECT_EQ(level_of(9 << 20, 2, host), Level::kL3);
  EXPECT_EQ(level_of(18 << 20, 2, host), Level::kDram);  // L3 is common
  EXPECT_EQ(level_of(1, 1, Host{}), Level::kDram);
}

TEST(Level, IsMemoryBeyondTheShareOfAGuestInALargeCache) {
  Host host = limits_run().host;
  host.cache_bytes["L3"] = int64_t{105} << 20;
  EXPECT_EQ(level_of(32 << 20, 1, host), Level::kL3);
  EXPECT_EQ(level_of(4e7, 1, host), Level::kDram);  // ten million floats
}

TEST(Traffic, IsTheNearestPatternByWhatIsWritten) {
  EXPECT_EQ(traffic_of(work(0, 1000, 0.001)), Traffic::kRead);
  EXPECT_EQ(traffic_of(work(0, 1000, 1.0 / 3)), Traffic::kTriad);
  EXPECT_EQ(traffic_of(work(0, 1000, 0.5)), Traffic::kCopy);
  EXPECT_EQ(traffic_of(work(0, 1000, 0.99)), Traffic::kWrite);
  EXPECT_EQ(traffic_of(work(0, 1000, 0)), Traffic::kCopy);  // not recorded
}

TEST(Limits, AreTheFastestOfWhatWasMeasured) {
  const Limits limits(limits_run().data());
  ASSERT_FALSE(limits.empty());
  EXPECT_NEAR(*limits.peak(1), 100, 0.1);  // flops per ns
  EXPECT_NEAR(*limits.peak(2), 200, 0.1);
  EXPECT_NEAR(*limits.peak("SCALAR", 1), 10, 0.01);
  EXPECT_FALSE(limits.peak(3));
  EXPECT_NEAR(*limits.bandwidth(Level::kL2, Traffic::kTriad, 1), 120, 0.1);
  EXPECT_NEAR(*limits.bandwidth(Level::kDram, Traffic::kCopy, 2), 30, 0.1);
  EXPECT_NEAR(limits.call_ns(), 2, 0.01);
}

TEST(Limits, PrivateCachesOfTwoCoresAreTwiceThoseOfOneAndCommonOnesAreNot) {
  const Limits limits(limits_run().data());
  EXPECT_NEAR(*limits.bandwidth(Level::kL1, Traffic::kRead, 2), 400, 0.5);
  EXPECT_NEAR(*limits.bandwidth(Level::kL3, Traffic::kRead, 2), 120, 0.5);
  EXPECT_FALSE(limits.bandwidth(Level::kL3, Traffic::kRead, 4));
}

TEST(Limits, WhoseInvocationsDifferGiveNoShare) {
  FakeRun fake = limits_run();
  const RowKey faster{"peak_flops", "hwy", "AVX3", 2};
  fake.time(faster, 1e7 / 332, 8, 0.5);
  EXPECT_FALSE(Limits(fake.data()).peak(2));  // not the lower, certain one either
  EXPECT_FALSE(Limits(fake.data()).peak("AVX3", 2));
  EXPECT_TRUE(Limits(fake.data()).peak("AVX2", 2));
  const CaseFacts arithmetic = work(1e9, 1000, 0.5);
  EXPECT_FALSE(roof_of(arithmetic, 2, Limits(fake.data()), fake.host));
  EXPECT_TRUE(roof_of(arithmetic, 1, Limits(fake.data()), fake.host));
}

TEST(Limits, OfSeveralThreadsAreInDoubtWhereFewerAreFaster) {
  FakeRun fake("55555555-5555-4555-8555-555555555555");
  const std::string text = "stream kind=copy n=8000000";
  fake.facts(text, {0, 0, 64e6, 64e6, 32e6});
  fake.time({text, "hwy", "AVX2", 1}, 64e6 / 20, 8, 0)
      .time({text, "hwy", "AVX2", 2}, 64e6 / 15, 8, 0);
  const Limits limits(fake.data());
  EXPECT_NEAR(*limits.bandwidth(Level::kDram, Traffic::kCopy, 1), 20, 0.1);
  EXPECT_FALSE(limits.bandwidth(Level::kDram, Traffic::kCopy, 2));
}

TEST(Roof, OfMemoryIsInDoubtWhenARowBeatsIt) {
  const FakeRun fake = limits_run();
  const auto roof = roof_of(work(10, 8000, 0.5), 1, Limits(fake.data()), fake.host);
  ASSERT_TRUE(roof);
  EXPECT_EQ(roof->bound, Roof::Bound::kMemory);
  EXPECT_FALSE(roof->doubted_by(roof->limit_ns));
  EXPECT_FALSE(roof->doubted_by(roof->limit_ns / 1.04));
  EXPECT_TRUE(roof->doubted_by(roof->limit_ns / 1.06));
  // Arithmetic can be got around: Winograd needs less of it.
  const auto products = roof_of(work(1e9, 8000, 0.5), 1, Limits(fake.data()), fake.host);
  EXPECT_FALSE(products->doubted_by(products->limit_ns / 3));
}

TEST(Limits, AreSoughtInRunsThatHaveTheirCases) {
  nsop::Run run = limits_run().run;
  EXPECT_TRUE(measured_limits(run));
  run.facts.erase("peak_flops");
  EXPECT_FALSE(measured_limits(run));
}

TEST(Limits, WrongRowsAreNoLimit) {
  FakeRun fake("77777777-7777-4777-8777-777777777777");
  fake.facts("peak_flops", {1e7, 5e6, 1e5, 1e5, 5e4});
  fake.fail({"peak_flops", "hwy", "AVX2", 1}, Status::kWrong, "no");
  EXPECT_TRUE(Limits(fake.data()).empty());
}

TEST(Roof, IsTheLargestOfArithmeticMemoryAndCall) {
  const RunData data = limits_run().data();
  const Limits limits(data);
  const auto compute = roof_of(work(1e6, 1e4, 0.5), 1, limits, data.host);
  EXPECT_EQ(compute->text(), "compute");
  EXPECT_NEAR(compute->limit_ns, 1e4, 10);
  const auto memory = roof_of(work(1e3, 1e5, 0.5), 1, limits, data.host);
  EXPECT_EQ(memory->text(), "L2");
  EXPECT_NEAR(memory->limit_ns, 1e3, 1);
  const auto call = roof_of(work(8, 64, 0.5), 1, limits, data.host);
  EXPECT_EQ(call->text(), "overhead");
  EXPECT_NEAR(call->limit_ns, 2, 0.01);
}

TEST(Roof, IsNotKnownWithoutLimits) {
  const RunData data = limits_run().data();
  EXPECT_FALSE(roof_of(work(1e6, 1e4, 0.5), 1, Limits(), data.host));
  EXPECT_FALSE(roof_of(work(1e6, 1e8, 0.5), 5, Limits(data), data.host));
  EXPECT_FALSE(roof_of(work(1e6, 0, 0), 1, Limits(data), data.host));
}

}  // namespace
}  // namespace nsop::report
