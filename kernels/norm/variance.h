// Population variance along one axis of a tensor.
#pragma once

#include <span>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// One variance of one shape, made once and run often: it keeps the code of the target that is
// current when it is made. Deviations are taken from a mean that is known before, so that a mean
// much larger than the deviations costs no accuracy. A NaN or infinity in a line makes it NaN.
class Variance {
 public:
  explicit Variance(const AxisShape& shape);

  // Floats that run() needs as workspace with so many threads.
  size_t workspace_floats(int threads) const;

  // x [outer, length, inner] -> y [outer, inner]. Reads 4 bytes (each block twice, from the cache)
  // and does 4 flops per element. The order of additions depends on the number of threads only.
  void run(std::span<const float> x, std::span<float> y, std::span<float> workspace,
           ThreadPool& thread_pool) const;

  // Of so many elements: their mean and the sum of squared deviations from it.
  struct Moments {
    double count;
    double mean;
    double squares;
  };

  // The code of one target.
  struct Code {
    Moments (*part)(const float* x, size_t count);
    void (*columns)(const float* x, const Columns& shape, float* y);
    Moments (*join)(const Moments& a, const Moments& b);  // of the elements of both
  };

 private:
  AxisShape shape_;
  Code code_;
};

}  // namespace nsop::kernels
