// The benchmark loop: play a game, train once, explore a little less, play the next.
#pragma once

#include <cstdint>
#include <span>

#include "layers/apps/dqn2048/call_times.h"
#include "layers/apps/dqn2048/dqn.h"
#include "layers/apps/dqn2048/replay.h"

namespace nsop::layers {

// What a run leaves behind. The spans are the caller's.
struct DqnRecord {
  std::span<float> scores;   // [episodes]
  std::span<float> moves;    // [episodes]
  std::span<float> losses;   // [episodes]: of the training call after each game
  std::span<float> actions;  // of all games, one after the other; the rest is filled with -1
};

// Explores with probability 1.0 x 0.995 per episode, at least 0.1. A direction is drawn from the
// legal ones, else it is the legal one with the largest Q, the first of equals.
class DqnLoop {
 public:
  // Allocates all that it will need for runs of so many episodes.
  DqnLoop(DqnTrainer& trainer, size_t episodes);
  // Plays and trains from these parameters; equal arguments give equal results. Allocates nothing
  // beside what the trainer does. Throws Error (environment) when `actions` is too short.
  void run(uint64_t seed, std::span<const float> parameters, const DqnRecord& record);
  // Of the latest run.
  const CallTimes& times() const { return times_; }
  size_t moves() const { return moves_; }

 private:
  void play(Game2048& game, const Draws& explore, double epsilon, const DqnRecord& record);
  Direction choose(const Game2048& game, uint64_t draw, double epsilon);

  DqnTrainer& trainer_;
  Replay replay_{kReplay};
  BatchBuffers batch_;
  CallTimes times_;
  size_t episodes_;
  size_t moves_ = 0;
};

}  // namespace nsop::layers
