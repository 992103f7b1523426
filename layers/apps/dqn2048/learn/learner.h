// A configuration of the deep Q-network that learns to play 2048: exponents in place of tile values
// as input, illegal moves masked, a target network, a training step every few moves.
//
// The target of an experience is r + gamma Q'(s', argmax Q(s')) over the legal moves of s', Q'
// being a copy of the network that is renewed now and then (Mnih et al. 2015,
// doi:10.1038/nature14236; van Hasselt et al. 2016, arXiv:1509.06461). Rewards are scaled, the loss
// is Huber's.
#pragma once

#include <cstdint>
#include <vector>

#include "layers/apps/dqn2048/game2048.h"
#include "layers/apps/dqn2048/replay.h"
#include "layers/core/sequential.h"
#include "layers/training/loss.h"
#include "layers/training/optimizer.h"

namespace nsop::layers {

struct LearnerOptions {
  uint64_t seed = 1;
  int64_t episodes = 3000;  // with exploration and training
  int64_t evaluated = 100;  // after them, played at epsilon = 0 without training
  size_t hidden = 128;      // of both hidden layers
  size_t batch = 64;
  size_t replay = 50000;
  int64_t train_every = 4;    // moves
  int64_t renew_every = 500;  // training steps
  int64_t warm_up = 1000;     // moves before the first training step
  double gamma = 0.99;
  double learning_rate = 1e-3;  // at the start; falls to 0 in equal steps
  double reward_scale = 1.0 / 64;
  double last_epsilon = 0.01;   // reached from 1 in equal steps ...
  double explored_share = 0.5;  // ... over this share of the episodes
};

// What the value of an experience's action is to become, from the values [4] of its next state by
// the trained network and by its copy: the former picks the legal move, the latter values it.
double wanted_value(const Experience& e, ConstFloats online, ConstFloats target,
                    const LearnerOptions& options);

class Learner {
 public:
  explicit Learner(const LearnerOptions& options);

  // Plays the next episode and returns its score. Allocates nothing.
  int64_t run_episode();
  int64_t episodes_done() const { return episode_; }
  int64_t moves_done() const { return moves_; }
  int64_t steps_trained() const { return trained_; }
  const Sequential& network() const { return online_; }
  const Sequential& target_network() const { return target_; }

 private:
  double epsilon() const;
  Direction choose(const Game2048& game);
  void train();
  void fill_targets();

  LearnerOptions options_;
  Game2048 game_;
  Draws explore_, picks_;
  Replay replay_;
  Sequential online_, online_next_, one_, target_;
  Optimizer adam_;
  Loss loss_;
  Tensor states_, next_, wanted_, gradient_;
  std::vector<const Experience*> picked_;
  int64_t episode_ = 0, moves_ = 0, trained_ = 0;
};

// Scores of games in which every move is drawn from the legal ones.
std::vector<int64_t> random_scores(uint64_t seed, int64_t games);

}  // namespace nsop::layers
