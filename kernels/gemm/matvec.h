// Matrix times vector.
#pragma once

#include <cstddef>
#include <span>
#include <string>

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

  // How it is done, in words.
  std::string algorithm() const { return code_.name; }

  // A way on one target, and its name: results [begin, end) of y.
  struct Code {
    const char* name;
    void (*part)(const MatvecShape& shape, const float* a, const float* x, float* y, size_t begin,
                 size_t end);
  };

 private:
  MatvecShape shape_;
  Code code_;
};

}  // namespace nsop::kernels
