// Places of the largest and the smallest elements along one axis of a tensor.
#pragma once

#include <span>
#include <string>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

enum class Extreme { kLargest, kSmallest };

// One argmax or argmin of one shape, made once and run often: it keeps the code of the target that
// is current when it is made. The axis must have at most 2^24 elements (assert): longer indices are
// no floats.
//
// The first of equal elements wins, and a NaN, the first of its line, wins against everything.
class ArgReducer {
 public:
  ArgReducer(Extreme extreme, const AxisShape& shape);

  // Floats that run() needs as workspace with so many threads.
  size_t workspace_floats(int threads) const;

  // x [outer, length, inner] -> y [outer, inner], indices along the axis. Reads 4 bytes and
  // compares once per element, and reads the block of the best one again.
  void run(std::span<const float> x, std::span<float> y, std::span<float> workspace,
           ThreadPool& thread_pool) const;

  // What run() does on a pool, in words.
  std::string algorithm(const ThreadPool& thread_pool) const;

  // An element and its place.
  struct Best {
    float value = 0;
    float index = 0;
  };

  // The code of one target.
  struct Code {
    Best (*part)(const float* x, size_t count);
    void (*rows)(const float* x, size_t rows, size_t length, float* y);
    void (*columns)(const float* x, const Columns& shape, float* y);
    bool (*beats)(float a, float b);  // NaN beats what isn't NaN
  };

 private:
  AxisShape shape_;
  Code code_;
};

}  // namespace nsop::kernels
