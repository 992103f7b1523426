// Matrix times vector.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// a is [m, n], row-major; y = a x, or y = a' x when transposed. m, n >= 1.
struct MatvecShape {
  size_t m = 0;
  size_t n = 0;
  bool transposed = false;
};

// One product of one shape, made once and run often: it keeps the code of the target that is
// current when it is made.
class Matvec {
 public:
  explicit Matvec(const MatvecShape& shape);

  // Reads 4 bytes and does 2 flops per element of a. x and y must not overlap. The result doesn't
  // depend on the number of threads.
  void run(std::span<const float> a, std::span<const float> x, std::span<float> y,
           ThreadPool& thread_pool) const;

  // The code of one target, for matrices whose rows are `ld` floats apart.
  struct Code {
    // y[i] = row i of a times x, for i < m.
    void (*plain)(const float* a, size_t ld, size_t m, size_t n, const float* x, float* y);
    // y[j] = sum of x[i] a[i][j] over i < m, for j < n.
    void (*transposed)(const float* a, size_t ld, size_t m, size_t n, const float* x, float* y);
  };

 private:
  MatvecShape shape_;
  Code code_;
};

}  // namespace nsop::kernels
