// Tensors with a border.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// What is added to one axis, in elements.
struct Border {
  size_t before = 0;
  size_t after = 0;
};

// One padding of one shape, made once and run often: it keeps the code of the target that is
// current when it is made.
class Pad {
 public:
  // One border per axis of x.
  Pad(const std::vector<int64_t>& shape, const std::vector<Border>& borders, float value);

  // x and y must not overlap. Reads 4 bytes per element of x and writes 4 per element of y.
  void run(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const;

  // An axis: its extent in x and its border.
  struct Axis {
    size_t extent = 1;
    Border border;
    size_t padded() const { return border.before + extent + border.after; }
  };
  // Axes without a border are one with the axis before them.
  const std::vector<Axis>& axes() const { return axes_; }
  float value() const { return value_; }

  // Writes the rows [begin, end) of y.
  using Code = void (*)(const Pad& plan, const float* x, float* y, size_t begin, size_t end);

 private:
  std::vector<Axis> axes_;
  size_t rows_ = 1;  // of y: lines of its last axis
  float value_;
  Code code_;
};

}  // namespace nsop::kernels
