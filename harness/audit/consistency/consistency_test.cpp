#include "harness/audit/consistency/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::ElementsAre;

TEST(Consistency, PartsOfASum) {
  EXPECT_THAT(kinds_of("31 faster, 1 the same, 5 inconclusive of 37 rows."),
              ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("31 faster, 1 the same, 6 inconclusive of 37 rows."),
              ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("52,800 rows, 20 rounds of 5 repetitions."), ElementsAre());
}

TEST(Consistency, Equations) {
  EXPECT_THAT(kinds_of("1M elements / 4 (width) = 250K iterations."), ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("1000K elements / 4 (width) = 200K iterations."), ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("5.53 ms = 5530 us"), ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("5.53 ms = 553 us"), ElementsAre("1 wrong"));
}

TEST(Consistency, CountsTimesRates) {
  EXPECT_THAT(kinds_of("- 250K iterations\n- 3-4 cycles per iteration\n- ~900K cycles\n"),
              ElementsAre("3 right"));
  EXPECT_THAT(kinds_of("- 250K iterations\n- 3-4 cycles per iteration\n- ~300K cycles\n"),
              ElementsAre("3 wrong"));
  EXPECT_THAT(kinds_of("- 250K iterations\n- 3-4 bytes per element\n- ~300K cycles\n"),
              ElementsAre());
}

TEST(Consistency, OneDateIsTheLatest) {
  EXPECT_THAT(kinds_of("## Latest run: 2025-03-01\n\nText.\n\n## Latest run: March 2, 2025\n"),
              ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("## Latest run: 2025-03-02\n\nText.\n\n## Latest run: March 2, 2025\n"),
              ElementsAre());
}

TEST(Consistency, DatesWithoutADay) {
  EXPECT_THAT(kinds_of("## Latest run: 2025-03-01\n\n## Latest run (March 2025)\n"), ElementsAre());
  EXPECT_THAT(kinds_of("## Latest run: 2025-03-01\n\n## Latest run (February 2025)\n"),
              ElementsAre("3 wrong"));
  // Other things may be older than the latest run; that they are is said.
  EXPECT_THAT(kinds_of("## Latest run: 2025-03-01\n\n## Latest changes (December 2024)\n"),
              ElementsAre("3 not_checkable"));
}

TEST(Consistency, NothingIsLaterThanTheDayOfGeneration) {
  EXPECT_THAT(kinds_of("Generated: March 1, 2025\n\n## Latest run: 2025-03-01\n"),
              ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("Generated: February 28, 2025\n\n## Latest run: 2025-03-01\n"),
              ElementsAre("1 wrong"));
}

TEST(Consistency, DefinitionsAndTheirReading) {
  EXPECT_THAT(kinds_of("- Speedup: A time / B time\n- Speedup > 1: A is faster\n"),
              ElementsAre("2 direction"));
  EXPECT_THAT(kinds_of("- Speedup: A time / B time\n- Speedup > 1: B is faster\n"),
              ElementsAre("2 right"));
}

TEST(Consistency, RatesAndTimesOfOneUnit) {
  EXPECT_THAT(kinds_of("# a\n\n- Steps/sec: 400\n- Training/step: 2.00 ms\n"), ElementsAre());
  EXPECT_THAT(kinds_of("# a\n\n- Steps/sec: 400\n- Training/step: 200 ms\n"),
              ElementsAre("4 unlike_cases"));
  EXPECT_THAT(kinds_of("# a\n\n- Steps/sec: 400\n- Total: 10.0 s for 4000 steps\n"),
              ElementsAre("3 right"));
  EXPECT_THAT(kinds_of("# a\n\n- Steps/sec: 400\n- Total: 10.0 s for 3000 steps\n"),
              ElementsAre("3 wrong"));
}

TEST(Consistency, StepsAsSmallAsNoise) {
  const auto log = [](const std::vector<const char*>& values) {
    std::string out;
    for (size_t i = 0; i < values.size(); ++i)
      out += "## v" + std::to_string(i) + "\n\nGames/sec: " + values[i] + "\n\n";
    return kinds_of(out);
  };
  EXPECT_THAT(log({"4.11", "4.10", "4.19"}), ElementsAre("11 not_checkable"));
  EXPECT_THAT(log({"3.35", "4.11", "4.10", "4.19", "5.0"}), ElementsAre("15 not_checkable"));
  EXPECT_THAT(log({"4.11", "4.10"}), ElementsAre());          // two steps are no series
  EXPECT_THAT(log({"4.11", "4.30", "4.50"}), ElementsAre());  // 4 % each
  EXPECT_THAT(log({"4.11", "4.11", "4.11"}), ElementsAre());  // nothing changed
  EXPECT_THAT(log({"4.11 [4.0, 4.2]", "4.10 [4.0, 4.2]", "4.19 [4.1, 4.3]"}), ElementsAre());
}

TEST(Consistency, FixedRowsThatAreSlower) {
  const auto page = [](const char* other) {
    return std::string("|Op|Time|Status|\n|-|-|-|\n|a|5.0 ms|fixed|\n\n|Op|Time|\n|-|-|\n|a|") +
           other + "|\n";
  };
  EXPECT_THAT(kinds_of(page("2.0 ms")), ElementsAre("3 direction"));
  EXPECT_THAT(kinds_of(page("9.0 ms")), ElementsAre());
}

}  // namespace
}  // namespace nsop::audit
