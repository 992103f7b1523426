#include "harness/report/base/data/limits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

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

// A cache of half the bytes still has some of them at the next round.
TEST(Held, IsBetweenTwoLevelsUpToTwiceTheSmallerOne) {
  const Host host = limits_run().host;  // 32 KiB, 256 KiB, 9 MiB
  const auto held = [&](double bytes, int threads) {
    return held_by(work(0, bytes, 0.5), threads, host).text();
  };
  EXPECT_EQ(held(32 << 10, 1), "L1");
  EXPECT_EQ(held((32 << 10) + 4, 1), "between L1 and L2");
  EXPECT_EQ(held(64 << 10, 1), "between L1 and L2");
  EXPECT_EQ(held((64 << 10) + 4, 1), "L2");
  EXPECT_EQ(held(64 << 10, 2), "L1");
  EXPECT_EQ(held(512 << 10, 1), "between L2 and L3");
  EXPECT_EQ(held(16 << 20, 2), "between L3 and DRAM");
  EXPECT_EQ(held(20 << 20, 1), "DRAM");
  EXPECT_EQ(held_by(work(0, 8, 0), 1, Host{}).text(), "DRAM");
}

// A gradient of maxima doesn't read the input; a batch of a data set is not always the same one.
TEST(Held, IsBetweenTheLevelsOfWhatIsMovedAndOfTheWhole) {
  const Host host = limits_run().host;
  EXPECT_EQ(held_by({0, 0, 150e3, 600e3, 150e3}, 1, host).text(), "between L2 and L3");
  EXPECT_EQ(held_by({0, 0, 20e3, 8e6, 10e3}, 1, host).text(), "between L1 and L3");
}

TEST(Traffic, IsThePatternThatFitsWhatIsWritten) {
  const auto traffic = [](double share) { return traffic_of(work(0, 1000, share)); };
  EXPECT_EQ(traffic(0.001), (Mix{Traffic::kRead, Traffic::kRead, 0}));
  EXPECT_EQ(traffic(1.0 / 3), (Mix{Traffic::kTriad, Traffic::kTriad, 0}));
  EXPECT_EQ(traffic(0.5), (Mix{Traffic::kCopy, Traffic::kCopy, 0}));
  EXPECT_EQ(traffic(0.99), (Mix{Traffic::kWrite, Traffic::kWrite, 0}));
  EXPECT_EQ(traffic(0), (Mix{Traffic::kCopy, Traffic::kCopy, 0}));  // not recorded
  // Of what is moved: half of a working set that nobody reads is no copy.
  EXPECT_EQ(traffic_of({0, 0, 1000, 2000, 1000}), (Mix{Traffic::kWrite, Traffic::kWrite, 0}));
}

TEST(Traffic, BetweenTwoPatternsIsOneAfterTheOther) {
  const Mix fma = traffic_of(work(0, 1600, 0.25));
  EXPECT_EQ(fma.less, Traffic::kRead);
  EXPECT_EQ(fma.more, Traffic::kTriad);
  EXPECT_NEAR(fma.share, 0.75, 1e-9);
  const Mix pool = traffic_of(work(0, 1000, 0.8));
  EXPECT_EQ(pool.less, Traffic::kCopy);
  EXPECT_EQ(pool.more, Traffic::kWrite);
  EXPECT_NEAR(pool.share, 0.6, 1e-9);
  EXPECT_LE(traffic_of(work(0, 1000, 0.52)).share, 1);  // the edge of what fits copying
  const RunData data = limits_run().data();
  const auto roof = roof_of(work(10, 160e3, 0.8), 1, Limits(data), data.host);
  EXPECT_NEAR(roof->memory_ns, 64e3 / 100 + 96e3 / 50, 2);  // copying and writing in L2
  EXPECT_FALSE(roof->fits_a_pattern());
}

RC_GTEST_PROP(Traffic, WritesTheShareThatTheCaseWrites, ()) {
  const double share = *rc::gen::inRange(1, 1001) / 1000.0;
  const Mix mix = traffic_of(work(0, 1e6, share));
  const auto of = [](Traffic traffic) {
    return std::array{0.0, 1.0 / 3, 0.5, 1.0}.at(static_cast<size_t>(traffic));
  };
  RC_ASSERT(std::fabs(std::lerp(of(mix.less), of(mix.more), mix.share) - share) <= 0.02 + 1e-9);
  RC_ASSERT(mix.share >= 0 && mix.share <= 1);
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

TEST(Roof, BetweenTwoLevelsIsOneOfArithmeticOnly) {
  const RunData data = limits_run().data();
  const Limits limits(data);
  const auto memory = roof_of(work(10, 400e3, 0.5), 1, limits, data.host);
  EXPECT_EQ(memory->text(), "between L2 and L3");
  EXPECT_FALSE(memory->certain());
  EXPECT_FALSE(memory->doubted_by(memory->limit_ns / 3));
  const auto compute = roof_of(work(1e9, 400e3, 0.5), 1, limits, data.host);
  EXPECT_EQ(compute->text(), "compute");
  EXPECT_TRUE(compute->certain());
}

TEST(Limits, OfWhatLiesBetweenTwoLevelsAreThoseOfNeither) {
  FakeRun fake("55555555-5555-4555-8555-555555555555");
  const std::string text = "stream kind=copy n=50000";
  fake.facts(text, {0, 0, 400e3, 400e3, 200e3}).time({text, "hwy", "AVX2", 1}, 4000, 8, 0);
  EXPECT_TRUE(Limits(fake.data()).empty());
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
