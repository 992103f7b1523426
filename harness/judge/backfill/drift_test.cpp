#include "harness/judge/backfill/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nsop::judge {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

stats::RowSummary row(const std::string& name, const std::vector<double>& values) {
  stats::RowSummary row;
  row.row = {name, "hwy", "AVX2", 1};
  row.verdict_values = values;
  for (size_t i = 0; i < values.size(); ++i) row.verdict_rounds.push_back(static_cast<int>(i));
  row.verdict_ns = values.empty() ? 0 : values[values.size() / 2];
  return row;
}

TEST(ReferenceDrift, ASlowSessionShowsAgainstTheMedianOfAll) {
  const std::vector<SessionDrift> drifts = reference_drift({
      {"c3", "r3", {row("a", {100, 100, 100}), row("b", {10, 10, 10})}},
      {"c2", "r2", {row("a", {100, 100, 100}), row("b", {10, 10, 10})}},
      {"c1", "r1", {row("a", {100, 121, 121}), row("b", {10, 10, 10})}},
  });
  ASSERT_EQ(drifts.size(), 3u);
  EXPECT_EQ(drifts[0].ratio, 1);
  EXPECT_EQ(drifts[2].commit, "c1");
  EXPECT_EQ(drifts[2].run_id, "r1");
  EXPECT_NEAR(drifts[2].ratio, 1.1, 1e-9) << "the geometric mean of 1.21 and 1";
  EXPECT_THAT(drifts[2].rounds, ElementsAre(1.0, DoubleNear(1.1, 1e-9), DoubleNear(1.1, 1e-9)));
}

TEST(ReferenceDrift, ASessionWithoutAnyRowSaysNothing) {
  EXPECT_TRUE(reference_drift({}).empty());
  const std::vector<SessionDrift> drifts =
      reference_drift({{"c2", "r2", {row("a", {})}}, {"c1", "r1", {row("a", {5})}}});
  ASSERT_EQ(drifts.size(), 1u);
  EXPECT_EQ(drifts[0].commit, "c1");
  EXPECT_THAT(drifts[0].rounds, ElementsAre(1));
}

TEST(ReferenceDrift, ARowIsComparedWithTheSessionsThatHaveIt) {
  const std::vector<SessionDrift> drifts = reference_drift(
      {{"c2", "r2", {row("new", {7}), row("a", {100})}}, {"c1", "r1", {row("a", {100})}}});
  EXPECT_EQ(drifts[0].ratio, 1);
  EXPECT_EQ(drifts[1].ratio, 1);
}

}  // namespace
}  // namespace nsop::judge
