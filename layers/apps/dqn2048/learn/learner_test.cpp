#include "layers/apps/dqn2048/learn/learner.h"

#include <gtest/gtest.h>

#include <numeric>

namespace nsop::layers {
namespace {

LearnerOptions small() {
  LearnerOptions o;
  o.episodes = 6;
  o.evaluated = 2;
  o.hidden = 16;
  o.batch = 8;
  o.replay = 300;
  o.warm_up = 100;
  o.renew_every = 10;
  return o;
}

std::vector<int64_t> play(const LearnerOptions& o) {
  Learner learner(o);
  std::vector<int64_t> scores;
  while (learner.episodes_done() < o.episodes + o.evaluated)
    scores.push_back(learner.run_episode());
  return scores;
}

TEST(Learner, EqualSeedsPlayEqualGames) {
  const auto first = play(small());
  EXPECT_EQ(first, play(small()));
  LearnerOptions other = small();
  other.seed = 2;
  EXPECT_NE(first, play(other));
}

TEST(Learner, TrainsEveryFewMovesAfterTheWarmUpAndNotWhileItIsEvaluated) {
  const LearnerOptions o = small();
  Learner learner(o);
  for (int64_t i = 0; i < o.episodes; ++i) learner.run_episode();
  const int64_t trained = learner.steps_trained();
  // Moves 100, 104, ... up to the last.
  EXPECT_GT(learner.moves_done(), 6 * 40);
  EXPECT_EQ(trained, (learner.moves_done() - o.warm_up) / o.train_every + 1);
  learner.run_episode();
  EXPECT_EQ(learner.steps_trained(), trained);
}

std::vector<float> values_of(const Sequential& network) {
  std::vector<float> all;
  for (const Parameter& p : network.parameters()) {
    all.insert(all.end(), p.value.begin(), p.value.end());
  }
  return all;
}

TEST(Learner, TheTargetNetworkIsRenewedWhenItsTimeHasCome) {
  LearnerOptions o = small();
  o.renew_every = 1;
  Learner always(o);
  o.renew_every = 1000000;
  Learner never(o);
  const std::vector<float> start = values_of(never.network());
  for (Learner* learner : {&always, &never}) {
    EXPECT_EQ(values_of(learner->target_network()), start);
    for (int i = 0; i < 3; ++i) learner->run_episode();
    EXPECT_GT(learner->steps_trained(), 0);
    EXPECT_NE(values_of(learner->network()), start);
  }
  EXPECT_EQ(values_of(always.target_network()), values_of(always.network()));
  EXPECT_EQ(values_of(never.target_network()), start);
}

// The trained network picks among the legal moves, its copy values the pick.
TEST(Learner, TargetsMaskIllegalMoves) {
  LearnerOptions o;
  o.gamma = 0.5;
  o.reward_scale = 0.25;
  const std::vector<float> online = {3, 9, 1, 7}, target = {10, 20, 30, 40};
  Experience e;
  e.reward = 8;
  const auto wanted = [&](unsigned legal) {
    e.legal_next = static_cast<uint8_t>(legal);
    return wanted_value(e, online, target, o);
  };
  EXPECT_EQ(wanted(0b1111), 2 + 0.5 * 20);
  EXPECT_EQ(wanted(0b1101), 2 + 0.5 * 40);
  EXPECT_EQ(wanted(0b0101), 2 + 0.5 * 10);
  EXPECT_EQ(wanted(0b0100), 2 + 0.5 * 30);
  EXPECT_EQ(wanted(0), 2);
}

// The score to beat: about 1,100 on average, whatever the seed.
TEST(RandomPlay, ScoresWhatRandomPlayScores) {
  for (const uint64_t seed : {1, 2}) {
    const auto scores = random_scores(seed, 400);
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / 400;
    EXPECT_NEAR(mean, 1090, 130);  // 5 standard errors of 520 / sqrt(400)
  }
}

}  // namespace
}  // namespace nsop::layers
