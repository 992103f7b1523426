#include "harness/audit/checks/consistency.h"

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
