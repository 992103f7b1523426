#include "layers/workloads/learn/learner.h"

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
  // Six games of 40 moves at the very least, 100 of them without training.
  EXPECT_GT(trained, (6 * 40 - 100) / 4);
  learner.run_episode();
  EXPECT_EQ(learner.steps_trained(), trained);
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
