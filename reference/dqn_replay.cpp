#include "reference/dqn_replay.h"

#include <algorithm>
#include <cmath>

namespace nsop::reference {
namespace {

constexpr uint64_t kCapacity = 1000;

std::array<double, kDqnInputs> state_of(const Cells& cells) {
  std::array<double, kDqnInputs> state{};
  for (size_t i = 0; i < kDqnInputs; ++i) state[i] = static_cast<double>(cells[i / 4][i % 4]);
  return state;
}

}  // namespace

int64_t DqnReplay::play(DqnGame& game, int direction) {
  DqnExperience e;
  e.state = state_of(game.cells());
  e.action = direction;
  const int64_t reward = game.move(direction);
  e.reward = static_cast<double>(reward);
  e.next = state_of(game.cells());
  e.done = game.legal().empty();
  const uint64_t place = added_++ % kCapacity;
  if (place == places_.size()) places_.emplace_back();
  places_[place] = e;
  return reward;
}

std::vector<DqnExperience> DqnReplay::batch(uint64_t seed, uint64_t call) const {
  std::vector<DqnExperience> picked;
  for (uint64_t i = 0; i < kDqnBatch; ++i) {
    const uint64_t draw = dqn_draw(seed, 2, call * kDqnBatch + i);
    const int64_t place = upper_below(draw, static_cast<int64_t>(places_.size()));
    picked.push_back(places_[static_cast<size_t>(place)]);
  }
  return picked;
}

uint64_t dqn_seed(float low, float high) {
  return static_cast<uint64_t>(low) + (static_cast<uint64_t>(high) << 24);
}

ParamSpec dqn_updates_param() {
  return {.name = "updates", .kind = ParamKind::kChoice, .choices = {"1", "32"}, .absent = {}};
}

std::vector<Tolerance> dqn_tolerances(int64_t, int64_t) {
  return {{.absolute = 0, .relative = 1e-3}, {.absolute = 1e-4, .relative = 0}};
}

double dqn_value_tolerance(int64_t, int64_t, double value) {
  return 1e-3 * std::max(1.0, std::fabs(value));
}

}  // namespace nsop::reference
