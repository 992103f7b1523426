// What the specifications of dqn_train and dqn2048 share beside game and network.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/registry.h"
#include "reference/dqn2048/game.h"
#include "reference/dqn2048/network.h"

namespace nsop::reference {

// The latest 1000 experiences; number n is at place n mod 1000.
class DqnReplay {
 public:
  // Moves and keeps what was experienced. Returns the reward.
  int64_t play(DqnGame& game, int direction);
  // Experience i of batch number `call` is picked by draw size * call + i of purpose 2.
  std::vector<DqnExperience> batch(uint64_t seed, uint64_t call, uint64_t size = kDqnBatch) const;

 private:
  std::vector<DqnExperience> places_;
  uint64_t added_ = 0;
};

// Of two numbers in [0, 2^24): low + 2^24 high.
uint64_t dqn_seed(float low, float high);

// `updates=1` or `updates=32`.
ParamSpec dqn_updates_param();

// Of losses and of parameters after so many training calls.
std::vector<Tolerance> dqn_tolerances(int64_t updates, int64_t calls);

// By how much a value Q of that size may differ between two such networks.
double dqn_value_tolerance(int64_t updates, int64_t calls, double value);

}  // namespace nsop::reference
