// How the time of a run of the DQN workload is divided. Allocates nothing but what metrics()
// returns.
//
// A border between two phases is one read of the steady clock, some 25 ns. A game has two of the
// loop's (after playing and after drawing the batch) and a training call three of the trainer's for
// each update, beside two more that time the call: 0.5 % of the 23 µs that a game of the fastest
// variant takes. The moves of a game are one phase: choosing a move, moving and storing it take
// that variant 0.1 µs, so that one border in each would cost a quarter of it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace nsop::layers {

// In the order in which the loop comes to them.
enum class DqnPhase : size_t {
  kPlay,      // choosing moves, forward passes for that included; the game; storing into the replay
  kSample,    // drawing a batch
  kForward,   // of states and next states, and the loss
  kBackward,  // gradients of the parameters
  kUpdate,    // the optimizer
};
constexpr size_t kDqnPhases = 5;

class PhaseTimes {
 public:
  using Clock = std::chrono::steady_clock;

  // Forgets all; the first phase begins.
  void start() {
    ns_ = {};
    ended_ = {};
    last_ = Clock::now();
  }
  // What is done since the latest start() or end() was of this phase.
  void end(DqnPhase phase) {
    const Clock::time_point now = Clock::now();
    const auto at = static_cast<size_t>(phase);
    ns_.at(at) += std::chrono::duration<double, std::nano>(now - last_).count();
    ended_.at(at) = true;
    last_ = now;
  }
  // `phase_NAME_ns` of docs/protocol.md for each phase that there was.
  std::map<std::string, double> metrics() const;

 private:
  std::array<double, kDqnPhases> ns_{};
  std::array<bool, kDqnPhases> ended_{};
  Clock::time_point last_{};
};

}  // namespace nsop::layers
