// The scalar product of two vectors.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// One scalar product of so many elements, made once and run often: it keeps the code of the target
// that is current when it is made.
class Dot {
 public:
  explicit Dot(size_t count);

  // Floats that run() needs as workspace with so many threads.
  size_t workspace_floats(int threads) const;

  // The sum of a[i] * b[i]. Reads 8 bytes and does 2 flops per element. The order of additions
  // depends on the number of threads and on nothing else.
  float run(std::span<const float> a, std::span<const float> b, std::span<float> workspace,
            ThreadPool& thread_pool) const;

  using Code = float (*)(const float* a, const float* b, size_t count);

 private:
  size_t count_;
  Code code_;
};

}  // namespace nsop::kernels
