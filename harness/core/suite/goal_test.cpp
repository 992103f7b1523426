#include "harness/core/suite/goal.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

TEST(GoalTest, ReadsATimeAgainstAVariant) {
  const Goal goal = parse_goal("hwy@AVX2  <= 1.15 x  hwy@AVX3");
  EXPECT_EQ(goal.kind, Goal::Kind::kTime);
  EXPECT_EQ(goal.that, "hwy@AVX2 <= 1.15 x hwy@AVX3");
  EXPECT_EQ(goal.subject.text(), "hwy@AVX2");
  EXPECT_EQ(goal.reference.text(), "hwy@AVX3");
  EXPECT_DOUBLE_EQ(goal.bound, 1.15);
  EXPECT_EQ(parse_goal("hwy <= 1 x best_peer").reference.variant, kBestPeer);
}

TEST(GoalTest, ReadsAShareOfTheBandwidth) {
  const Goal goal = parse_goal("bandwidth >= 90 %");
  EXPECT_EQ(goal.kind, Goal::Kind::kBandwidth);
  EXPECT_DOUBLE_EQ(goal.bound, 0.9);
}

TEST(GoalTest, ReadsAMean) {
  const Goal goal = parse_goal("mean hwy  <= 0.50 x best_peer");
  EXPECT_EQ(goal.kind, Goal::Kind::kMeanTime);
  EXPECT_EQ(goal.that, "mean hwy <= 0.50 x best_peer");
  EXPECT_EQ(goal.subject.variant, "hwy");
  EXPECT_DOUBLE_EQ(goal.bound, 0.5);
}

TEST(GoalTest, ReadsABoundOnAMetric) {
  const Goal goal = parse_goal("batched@AVX2:  episodes_per_s  >= 100");
  EXPECT_EQ(goal.kind, Goal::Kind::kMetric);
  EXPECT_EQ(goal.that, "batched@AVX2: episodes_per_s >= 100");
  EXPECT_EQ(goal.subject.text(), "batched@AVX2");
  EXPECT_EQ(goal.metric.metric.counted, "episodes");
  EXPECT_EQ(goal.metric.number, 100);
  EXPECT_EQ(goal.metric.sense, MetricBound::Sense::kAtLeast);
  EXPECT_TRUE(parse_goal("allocs = 0").subject.variant.empty());
}

TEST(GoalTest, AgainstOneThreadSpeaksOfSeveral) {
  Goal goal = parse_goal("hwy <= 1.05 x one_thread");
  EXPECT_EQ(goal.reference.variant, kOneThread);
  goal.on = {"*"};
  EXPECT_TRUE(goal_applies(goal, "nop", 2));
  EXPECT_FALSE(goal_applies(goal, "nop", 1));
}

TEST(GoalTest, RefusesAnythingElse) {
  for (const char* text : {"",
                           "hwy",
                           "hwy <= numpy",
                           "hwy <= x x numpy",
                           "hwy <= -1 x numpy",
                           "hwy <= 0 x numpy",
                           "hwy <= 1e3 x numpy",
                           "hwy <= nan x numpy",
                           "hwy <= inf x numpy",
                           "hwy >= 1 x numpy",
                           "hwy <= 1.0 x @AVX2",
                           "mean bandwidth >= 90 %",
                           "mean hwy <= numpy",
                           "bandwidth >= 90",
                           "bandwidth <= 90 %",
                           "bandwidth >= much %",
                           ": allocs = 0",
                           "@AVX2: allocs = 0",
                           "hwy: allocs",
                           "hwy: = 0",
                           "hwy : allocs = 0",
                           "mean allocs = 0",
                           "hwy: bandwidth >= 90 %",
                           "hwy: hwy <= 2.0 x numpy",
                           "hwy: allocss = 0"}) {
    try {
      parse_goal(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage) << text;
    }
  }
}

TEST(GoalTest, SpeaksOfTheRowsOfItsPatternsAndThreads) {
  Goal goal;
  goal.on = {"tanh pass=forward n=*", "relu"};
  EXPECT_TRUE(goal_applies(goal, "tanh pass=forward n=100 range=-3:3", 1));
  EXPECT_TRUE(goal_applies(goal, "relu pass=backward n=7 range=-3:3", 2));
  EXPECT_FALSE(goal_applies(goal, "tanh pass=backward n=100 range=-3:3", 1));
  goal.threads = {2};
  EXPECT_FALSE(goal_applies(goal, "relu pass=backward n=7 range=-3:3", 1));
  EXPECT_TRUE(goal_applies(goal, "relu pass=backward n=7 range=-3:3", 2));
}

TEST(GoalTest, AReasonSpeaksOfItsRowsGoalsAndThreads) {
  Reason reason;
  reason.on = {"relu pass=forward", "tanh"};
  const Goal goal = parse_goal("hwy <= 1.0 x best_peer"), other = parse_goal("hwy <= 2.0 x numpy");
  EXPECT_TRUE(reason_applies(reason, goal, "tanh pass=forward n=7 range=-3:3", 2));
  EXPECT_TRUE(reason_applies(reason, other, "relu pass=forward n=7 range=-3:3", 1));
  EXPECT_FALSE(reason_applies(reason, goal, "relu pass=backward n=7 range=-3:3", 1));
  reason.goals = {other.that};
  EXPECT_FALSE(reason_applies(reason, goal, "tanh pass=forward n=7 range=-3:3", 1));
  EXPECT_TRUE(reason_applies(reason, other, "tanh pass=forward n=7 range=-3:3", 1));
  reason.threads = {2};
  EXPECT_FALSE(reason_applies(reason, other, "tanh pass=forward n=7 range=-3:3", 1));
}

TEST(GoalTest, AReasonSpeaksOfAMeanOnlyByItsName) {
  Reason reason;
  reason.on = {"*"};
  const Goal mean = parse_goal("mean hwy <= 0.50 x best_peer");
  EXPECT_FALSE(reason_applies(reason, mean, "", 1));
  reason.goals = {mean.that};
  EXPECT_TRUE(reason_applies(reason, mean, "", 1));
}

}  // namespace
}  // namespace nsop
