#include "reference/dqn2048/replay.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace nsop::reference {
namespace {

constexpr uint64_t kCapacity = 1000;

// How far nine of ten of PyTorch's float32 runs are from the double-precision replay at most:
// losses relatively, parameters absolutely (docs/dqn.md; reference/peers/python/dqn_deviation.py
// measures it).
struct Deviation {
  int64_t calls;
  double losses, parameters;
};
constexpr std::array<Deviation, 3> kOneUpdate = {
    {{1, 2.4e-7, 8.1e-7}, {10, 4.1e-7, 8.1e-7}, {100, 1.9e-6, 1.1e-6}}};
// In a thousand calls of 32 updates a hidden unit crosses its kink in too many runs to call that
// the tenth: what counts there is the worst of PyTorch's runs.
constexpr std::array<Deviation, 4> kUpdateEach = {
    {{1, 3.6e-7, 7.2e-7}, {10, 2.5e-6, 2.3e-6}, {100, 2e-05, 1.5e-05}, {1000, 0.019, 0.085}}};
constexpr double kMargin = 10;  // a training is right that deviates ten times as much at most

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

std::vector<DqnExperience> DqnReplay::batch(uint64_t seed, uint64_t call, uint64_t size) const {
  std::vector<DqnExperience> picked;
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t draw = dqn_draw(seed, 2, call * size + i);
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

std::vector<Tolerance> dqn_tolerances(int64_t updates, int64_t calls) {
  const std::span<const Deviation> measured =
      updates == 1 ? std::span<const Deviation>(kOneUpdate) : kUpdateEach;
  const auto at = std::ranges::find_if(measured, [&](const auto& d) { return calls <= d.calls; });
  const Deviation& d = at == measured.end() ? measured.back() : *at;
  // Beyond what was measured, small differences are taken to grow with the number of calls.
  const double longer = std::max(1.0, static_cast<double>(calls) / static_cast<double>(d.calls));
  return {{.absolute = 0, .relative = kMargin * d.losses * longer},
          {.absolute = kMargin * d.parameters * longer, .relative = 0}};
}

double dqn_value_tolerance(int64_t updates, int64_t calls, double value) {
  const Tolerance losses = dqn_tolerances(updates, std::max<int64_t>(1, calls))[0];
  return 2 * losses.relative * std::max(1.0, std::fabs(value));  // two values, each off by that
}

}  // namespace nsop::reference
