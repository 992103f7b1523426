// The deep Q-network of the 2048 workload: its sizes, its batches, and what trains it.
//
// Network 16-64-64-4 with ReLU; Q(s) has a value per direction. A batch is 32 experiences; the
// target of one is Q(s) with the value of the direction taken replaced by r + gamma max Q(s')
// (r alone when the game ended), from the same network; the loss is the mean square over all
// values; Adam with learning rate 1e-3. docs/dqn.md has the formulas.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layers/apps/dqn2048/game2048.h"
#include "layers/apps/dqn2048/phase_times.h"

namespace nsop::layers {

constexpr size_t kHidden = 64;
constexpr size_t kBatch = 32;
constexpr size_t kReplay = 1000;
constexpr double kGamma = 0.99;
constexpr double kLearningRate = 1e-3, kBeta1 = 0.9, kBeta2 = 0.999, kAdamEpsilon = 1e-8;

// Parameters in one row: w1 [64,16], b1 [64], w2 [64,64], b2 [64], w3 [4,64], b3 [4].
constexpr size_t kDqnParameters =
    kHidden * kCells + kHidden + kHidden * kHidden + kHidden + kDirections * kHidden + kDirections;

// Some experiences, kBatch in the workload.
struct DqnBatch {
  std::span<const float> states;       // [n,16]
  std::span<const float> actions;      // [n]: 0 to 3
  std::span<const float> rewards;      // [n]
  std::span<const float> next_states;  // [n,16]
  std::span<const float> done;         // [n]: 1 where the game ended, else 0
};

// Owns the network and its optimizer.
class DqnTrainer {
 public:
  virtual ~DqnTrainer() = default;
  // Sets the parameters [kDqnParameters] and forgets what the optimizer has gathered.
  virtual void reset(std::span<const float> parameters) = 0;
  // One training call. Returns its loss; the mean of them where it makes an update per experience.
  // Ends the phases kForward, kBackward and kUpdate of phases() in turn.
  virtual float train(const DqnBatch& batch) = 0;
  // Q of one state.
  virtual void values(std::span<const float, kCells> state, std::span<float, kDirections> q) = 0;
  virtual void store(std::span<float> parameters) const = 0;
  // What Adam has gathered, m and v of every parameter, in any order. Allocates.
  virtual std::vector<float> moments() const = 0;
  virtual size_t workspace_bytes() const { return 0; }
  // What it can tell of the time since reset() beside its phases, by the names of docs/protocol.md.
  virtual std::map<std::string, double> metrics() const { return {}; }
  // Who calls train() starts them and ends those of its own.
  PhaseTimes& phases() { return phases_; }

 private:
  PhaseTimes phases_;
};

// A fresh tensor for the result of every operation, or with `pooled` one from a pool of buffers
// that earlier results have left. `updates` is 1 (one batch) or `batch` (an update per experience);
// all batches have `batch` experiences.
std::unique_ptr<DqnTrainer> make_functional_trainer(size_t updates, bool pooled,
                                                    size_t batch = kBatch);

// One forward pass, one of the next states, one backward pass, one update; allocates nothing after
// it was made.
std::unique_ptr<DqnTrainer> make_batched_trainer(size_t batch = kBatch);

}  // namespace nsop::layers
