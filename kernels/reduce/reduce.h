// Sums, means, extrema and norms along one axis of a tensor.
#pragma once

#include <span>
#include <string>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// A NaN in a line makes its result NaN. kNormL2 is right whenever its result is a finite float,
// even if squares overflow or underflow. A zero extremum has the sign of any zero of its line.
enum class Reduction { kSum, kMean, kMax, kMin, kNormL1, kNormL2, kNormLinf };

// One reduction of one shape, made once and run often: it keeps the code of the target that is
// current when it is made.
class Reducer {
 public:
  Reducer(Reduction reduction, const AxisShape& shape);

  // Floats that run() needs as workspace with so many threads.
  size_t workspace_floats(int threads) const;

  // x [outer, length, inner] -> y [outer, inner]. Reads 4 bytes and does 1 or 2 flops per element.
  // The order of additions depends on the number of threads and on nothing else.
  void run(std::span<const float> x, std::span<float> y, std::span<float> workspace,
           ThreadPool& thread_pool) const;

  // What run() does on a pool, in words.
  std::string algorithm(const ThreadPool& thread_pool) const;

  // The code of one target for one reduction.
  struct Code {
    // Each row of x [rows, length] into one element of y.
    void (*rows)(const float* x, size_t rows, size_t length, float* y);
    // Lines side by side, each into one element of y.
    void (*columns)(const float* x, const Columns& shape, float* y);
    // A part of a line into a value. combine() joins the values of the parts.
    float (*part)(const float* x, size_t count);
    float (*combine)(float a, float b);
    // From the combined value to the result, given the whole line.
    float (*finish)(float value, const float* x, size_t count);
  };

 private:
  AxisShape shape_;
  Code code_;
};

}  // namespace nsop::kernels
