#include "layers/apps/dqn2048/replay.h"

namespace nsop::layers {
namespace {

constexpr auto kRows = static_cast<int64_t>(kBatch);

}  // namespace

BatchBuffers::BatchBuffers()
    : states_({kRows, kCells}),
      actions_({kRows}),
      rewards_({kRows}),
      next_({kRows, kCells}),
      done_({kRows}) {}

void BatchBuffers::fill(const Replay& replay, const Draws& draws, uint64_t call) {
  for (size_t i = 0; i < kBatch; ++i) {
    const Experience& e = replay.pick(draws, call * kBatch + i);
    raw_tiles(e.state, state_row(states_, i));
    raw_tiles(e.next, state_row(next_, i));
    actions_.data()[i] = static_cast<float>(e.action);
    rewards_.data()[i] = e.reward;
    done_.data()[i] = e.legal_next == 0 ? 1 : 0;
  }
}

DqnBatch BatchBuffers::view() const {
  return {states_.data(), actions_.data(), rewards_.data(), next_.data(), done_.data()};
}

}  // namespace nsop::layers
