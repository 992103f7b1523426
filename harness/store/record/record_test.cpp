#include "harness/store/record/record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "harness/store/record/limits.h"
#include "harness/store/record/metrics.h"
#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using test::example_invocation;
using test::outcome;

RC_GTEST_PROP(Record, InvocationSurvivesPacking, ()) {
  const Invocation one = test::any_invocation("run", "build", 0);
  const InvocationRecord record = pack(one);
  RC_ASSERT(to_json(unpack(record)) == to_json(one));
  RC_ASSERT(pack(unpack(record)) == record);
  check_record(record, read_record(record));
}

RC_GTEST_PROP(Record, RunSurvivesPacking, ()) {
  const Run run = test::any_run("run", "host");
  RC_ASSERT(to_json(unpack_run(pack_run(run), "running", "", "")) == to_json(run));
}

TEST(Record, SamplesAreColumns) {
  EXPECT_EQ(pack_samples({}), "{}");
  const std::string samples = pack_samples({{1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14}});
  EXPECT_EQ(samples,
            R"({"iterations":[1,8],"wall_ns":[2,9],"process_cpu_ns":[3,10],"thread_cpu_ns":[4,11],)"
            R"("involuntary_switches":[5,12],"minor_faults":[6,13],"major_faults":[7,14]})");
  EXPECT_EQ(unpack_samples(samples).at(1).thread_cpu_ns, 11);
}

TEST(Record, RefusesSamplesOfUnequalLength) {
  const auto result = outcome([] { unpack_samples(R"({"iterations":[1],"wall_ns":[1,2]})"); });
  EXPECT_EQ(result.code, ExitCode::kBadData);
  EXPECT_NE(result.message.find("wall_ns"), std::string::npos);
}

TEST(Record, RefusesANumberThatIsNotFinite) {
  Invocation one = example_invocation("run", 0);
  one.process_age_s = std::numeric_limits<double>::infinity();
  const auto result = outcome([&] { pack(one); });
  EXPECT_EQ(result.code, ExitCode::kBadData);
  EXPECT_NE(result.message.find("process_age_s"), std::string::npos);
}

TEST(Record, KeepsTheErrorsOfAKernelThatReturnedNan) {
  Invocation one = example_invocation("run", 0);
  one.status = Status::kWrong;
  one.check.ok = false;
  one.check.max_abs_error = std::numeric_limits<double>::quiet_NaN();
  one.check.worst_over_tolerance = std::numeric_limits<double>::infinity();
  one.check.max_rel_error = 0.5;
  const CheckResult check = unpack(pack(one)).check;
  EXPECT_TRUE(std::isnan(check.max_abs_error));
  EXPECT_TRUE(std::isnan(check.worst_over_tolerance));
  EXPECT_EQ(check.max_rel_error, 0.5);
}

TEST(Record, ReplacesBytesThatAreNotUtf8) {
  Invocation one = example_invocation("run", 0);
  one.reason = "worker said \xff\xfe";
  EXPECT_EQ(unpack(pack(one)).reason, "worker said \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Record, FindsChangedSamples) {
  InvocationRecord record = pack(example_invocation("run", 0));
  record.samples[record.samples.find("2000")] = '3';
  EXPECT_EQ(outcome([&] { check_record(record, read_record(record)); }).code, ExitCode::kBadData);
}

TEST(Record, FindsAMetricThatDoesNotFollowFromTheSamples) {
  InvocationRecord record = pack(example_invocation("run", 0));
  const size_t at = record.body.find("\"wall_ns_per_op\":2.0");
  ASSERT_NE(at, std::string::npos);
  record.body.replace(at, 20, "\"wall_ns_per_op\":1.0");
  EXPECT_NE(
      outcome([&] { check_record(record, read_record(record)); }).message.find("wall_ns_per_op"),
      std::string::npos);
}

TEST(Record, NamesAreLimited) {
  EXPECT_EQ(outcome([] { check_name("variant", std::string(kMaxNameBytes, 'v')); }).code,
            ExitCode::kOk);
  for (const std::string& bad : {std::string(), std::string(kMaxNameBytes + 1, 'v'),
                                 std::string("a\nb"), std::string("a\0b", 3)}) {
    EXPECT_EQ(outcome([&] { check_name("variant", bad); }).code, ExitCode::kBadData);
  }
}

TEST(Metrics, AreTheLeastPerOperation) {
  Invocation one = example_invocation("run", 0);
  one.repetitions = {{10, 100, 90, 90, 0, 0, 0}, {4, 36, 40, 40, 0, 0, 0}};
  const auto metrics = metrics_of(one);
  EXPECT_EQ(metrics.at("wall_ns_per_op"), 9.0);
  EXPECT_EQ(metrics.at("process_cpu_ns_per_op"), 9.0);
  EXPECT_FALSE(metrics.contains("allocs_per_op"));
}

// Neither a metric of a step that is called like a time nor one that nobody knows can do harm.
TEST(Metrics, OfStepsAreTheLeastAndReplaceNoTime) {
  Invocation one = example_invocation("run", 0);
  one.repetitions = {{10, 100, 90, 90, 0, 0, 0}, {4, 36, 40, 40, 0, 0, 0}};
  one.repetitions[0].metrics = {{"train_call_ns", 25}, {"wall_ns_per_op", 1}, {"new", 7}};
  one.repetitions[1].metrics = {{"train_call_ns", 24}, {"wall_ns_per_op", 1}, {"new", 7}};
  const auto metrics = metrics_of(one);
  EXPECT_EQ(metrics.at("wall_ns_per_op"), 9.0);
  EXPECT_EQ(metrics.at("train_call_ns"), 24.0);
  EXPECT_EQ(unpack(pack(one)).repetitions[1].metrics, one.repetitions[1].metrics);
}

TEST(Metrics, OfAFailureAreNone) {
  Invocation one = example_invocation("run", 0);
  one.status = Status::kTimeout;
  EXPECT_TRUE(metrics_of(one).empty());
}

}  // namespace
}  // namespace nsop::store
