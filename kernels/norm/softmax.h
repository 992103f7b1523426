// softmax and log_softmax along one axis.
#pragma once

#include <span>
#include <string>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

enum class SoftmaxKind { kPlain, kLog };

struct SoftmaxWay;  // softmax.cpp

// One softmax of one shape, made once and run often: it keeps the code of the target that is
// current when it is made. All tensors are [outer, length, inner].
//
// Large values are safe: the largest of a line is subtracted first. A line with a NaN or +inf
// becomes all NaN, and so does one of nothing but -inf. Probabilities below 2^-126 may become 0.
class Softmax {
 public:
  Softmax(SoftmaxKind kind, const AxisShape& shape);

  // y = exp(x - m) / s, or x - m - log(s). y may be x. 16 bytes and 9 flops per element.
  void forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const;

  // From the saved output y: dx = y (dy - sum(y dy)), or dy - exp(y) sum(dy). dx may be dy.
  void backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                ThreadPool& thread_pool) const;

  // What the passes do, in words.
  std::string algorithm() const;

  // The code of one target.
  struct Code {
    void (*forward_rows)(const float* x, size_t rows, size_t length, float* y);
    void (*forward_columns)(const float* x, const Columns& shape, float* y);
    void (*backward_rows)(const float* y, const float* dy, size_t rows, size_t length, float* dx);
    void (*backward_columns)(const float* y, const float* dy, const Columns& shape, float* dx);
  };

 private:
  AxisShape shape_;
  const SoftmaxWay* way_;
  Code code_;
};

}  // namespace nsop::kernels
