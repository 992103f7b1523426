// The latest experiences of an agent, and batches drawn from them. Allocates once.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/tensor/tensor.h"
#include "layers/apps/dqn2048/dqn.h"
#include "layers/apps/dqn2048/draws.h"
#include "layers/apps/dqn2048/game2048.h"

namespace nsop::layers {

struct Experience {
  Board state = 0;
  Board next = 0;
  float reward = 0;
  Direction action = Direction::kUp;
  uint8_t legal_next = 0;  // directions that are legal in `next`; 0: the game ended
};

class Replay {
 public:
  explicit Replay(size_t capacity) : places_(capacity) {}

  void clear() { added_ = 0; }
  // Number n (from 0) goes to place n mod capacity.
  void add(const Experience& experience) { places_[added_++ % places_.size()] = experience; }
  size_t size() const { return added_ < places_.size() ? added_ : places_.size(); }
  // Draw number `i` of `draws`: uniform over what is there, with replacement. size() must not be 0.
  const Experience& pick(const Draws& draws, uint64_t i) const {
    return places_[Draws::below(draws.at(i), static_cast<uint32_t>(size()))];
  }

 private:
  std::vector<Experience> places_;
  size_t added_ = 0;
};

// Row i of states [rows, 16].
inline std::span<float, kCells> state_row(Tensor& states, size_t i) {
  return states.data().subspan(i * kCells).first<kCells>();
}

// The tensors of one batch.
class BatchBuffers {
 public:
  BatchBuffers();
  // Experience i of batch number `call` is draw number 32 call + i; states as raw tile values.
  void fill(const Replay& replay, const Draws& draws, uint64_t call);
  DqnBatch view() const;

 private:
  Tensor states_, actions_, rewards_, next_, done_;
};

}  // namespace nsop::layers
