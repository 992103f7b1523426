// What the first lines of a report say: the answer of forms that compare nothing, and what was not
// told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/base/footer.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string headline_of_report(const Json& report) { return report["headline"]; }

TEST(Head, OfLimitsTellsWhatTheMachineReaches) {
  EXPECT_EQ(headline_of_report(build_report(limits_suite(), limits_run().data(), std::nullopt)),
            "1 thread: 100 GFLOP/s, copying 200 GB/s in L1, 100 GB/s in L2, 80.0 GB/s in L3, 20.0 "
            "GB/s in DRAM; 2 threads: 200 GFLOP/s, copying 400 GB/s in L1, 200 GB/s in L2, 120 "
            "GB/s in L3, 30.0 GB/s in DRAM; 9 of 9 measurements with a time");
  const FakeRun nothing("99999999-9999-4999-8999-999999999999");
  EXPECT_EQ(headline_of_report(build_report(limits_suite(), nothing.data(), std::nullopt)),
            "0 of 0 measurements with a time");
}

TEST(Head, OfThreadsTellsFromWhichWorkOnTheyPay) {
  EXPECT_THAT(
      headline_of_report(build_report(threads_suite(), threads_run().data(), std::nullopt)),
      StartsWith("2 threads pay from 4,096 elements and 4,096 macs per thread on, by kernel "
                 "(2 thresholds); of 1 series they win nowhere; "));
}

Json tracking_report(const std::vector<Release>& releases) {
  return build_report(tracking_suite(), releases.back().data, std::nullopt, std::nullopt, releases);
}

TEST(Head, OfReleasesTellsWhatTheyBroughtTogether) {
  std::vector<Release> releases = tracking_releases();
  const std::string said = headline_of_report(tracking_report(releases));
  EXPECT_THAT(said, StartsWith("3 releases from v0.1.0 to v0.2.0 and this run; since the first of "
                               "each row: "));
  // The dense layer against v0.1.0: v0.2.0 had other inputs. The batched loop is of v0.2.0.
  EXPECT_THAT(said, HasSubstr("2 better, 0 worse, 0 the same, 0 inconclusive of 2 rows ("));
  EXPECT_THAT(said, HasSubstr("Dense Forward 4"));  // 49.4 % less time
  for (Release& release : releases) release.data.host.id = std::string(64, 'd');
  releases.back().data.host.id = std::string(64, 'e');
  EXPECT_THAT(headline_of_report(tracking_report(releases)), Not(HasSubstr("since the first")));
}

TEST(Head, SaysThatLimitsWereNotMeasuredAlsoWhereNoLibraryStandsBeside) {
  const Suite suite = before_after_suite();
  ASSERT_TRUE(suite.peers.empty());
  const auto said = StartsWith("The machine's limits were not measured here");
  FakeRun fake = before_after_run();
  EXPECT_THAT(std::vector<std::string>(build_report(suite, fake.data(), std::nullopt)["head"]),
              Contains(said));
  add_limits(fake);
  EXPECT_THAT(std::vector<std::string>(build_report(suite, fake.data(), std::nullopt)["head"]),
              Not(Contains(said)));
}

TEST(Head, SaysWhyThereIsNoMedianRow) {
  const Json report = build_report(peers_suite(), peers_run().data(), std::nullopt);
  EXPECT_THAT(std::vector<std::string>(report["head"]),
              Contains(StartsWith("No median row and no best one: ")));  // numpy is wrong in one
}

// A thinned run keeps the fastest repetition of each invocation, which is hardly ever preempted.
TEST(Noise, OfOneRepetitionOfEachInvocationTellsNoShareOfPreemptedOnes) {
  RunData run = peers_run().data();
  const auto told = [&] {
    std::vector<const stats::RowSummary*> rows;
    for (const stats::RowSummary& row : run.rows) rows.push_back(&row);
    return noise_text(rows);
  };
  EXPECT_THAT(told(), HasSubstr("of the repetitions preempted"));
  for (stats::RowSummary& row : run.rows) row.repetitions = row.invocations;
  EXPECT_THAT(told(), testing::EndsWith("; of each invocation one repetition is kept"));
}

TEST(Footer, ExplainsVerdictsWhereThereAreSome) {
  const auto explained = [](const Json& report) {
    for (const Json& item : report["footer"]) {
      if (item["label"] == "Verdicts") return item["text"].get<std::string>();
    }
    return std::string();
  };
  EXPECT_THAT(
      explained(build_report(peers_suite(), peers_run().data(), std::nullopt)),
      StartsWith("better and worse: the whole interval lies beyond a margin of 3 % (rows of "
                 "much arithmetic), 6 % (what a cache holds) or 25 % (beyond caches); same: "
                 "all of it lies within; inconclusive: neither"));
  EXPECT_EQ(explained(build_report(limits_suite(), limits_run().data(), std::nullopt)), "");
}

}  // namespace
}  // namespace nsop::report
