// The memory of a network: planned once, allocated once, given out in pieces.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

#include "harness/core/tensor/tensor.h"
#include "layers/core/copy.h"

namespace nsop::layers {

// First a measuring arena is handed to whoever needs memory, then one that was made from its plan
// to the same takers in the same order. Pieces live as long as the arena; moving it leaves them
// where they are.
class Arena {
 public:
  // What has been asked for, in floats.
  struct Plan {
    size_t kept = 0;
    size_t scratch = 0;
  };

  // Measures: take() and scratch() count and return empty spans.
  Arena() = default;
  // One zeroed, 64-byte aligned block for what `plan` counted.
  explicit Arena(const Plan& plan)
      : block_({static_cast<int64_t>(plan.kept + plan.scratch)}),
        capacity_(plan),
        measures_(false) {
    clear_floats(block_.data());
  }

  // A 64-byte aligned piece that nobody else gets, filled with `value`. To take more than was
  // planned is a programmer's error (assert).
  std::span<float> take(size_t floats, float value = 0) {
    const size_t begin = plan_.kept;
    plan_.kept += whole_lines(floats);
    if (measures_) return {};
    assert(plan_.kept <= capacity_.kept);
    const std::span<float> piece = block_.data().subspan(begin, floats);
    std::ranges::fill(piece, value);
    return piece;
  }

  // Memory that all callers share: what is written there lasts until another layer runs, at most.
  // The pieces of two calls overlap.
  std::span<float> scratch(size_t floats) {
    plan_.scratch = std::max(plan_.scratch, whole_lines(floats));
    if (measures_) return {};
    assert(plan_.scratch <= capacity_.scratch);
    return block_.data().subspan(capacity_.kept, floats);
  }

  bool measures() const { return measures_; }
  const Plan& plan() const { return plan_; }
  size_t bytes() const { return block_.size() * sizeof(float); }

 private:
  static size_t whole_lines(size_t floats) {
    constexpr size_t kLine = kAlignment / sizeof(float);
    return (floats + kLine - 1) / kLine * kLine;
  }

  Tensor block_;
  Plan capacity_;
  Plan plan_;
  bool measures_ = true;
};

}  // namespace nsop::layers
