// Tensors with their axes in another order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// One reordering of one shape, made once and run often: it keeps the code of the target that is
// current when it is made. y's axis i is x's axis perm[i], as in NumPy's transpose(); {1, 0} of a
// matrix is its transpose.
class Permute {
 public:
  // perm must be an order of shape's axes (assert).
  Permute(const std::vector<int64_t>& shape, const std::vector<int>& perm);

  // x and y must not overlap. 8 bytes per element.
  void run(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const;

  // How it is done, in words.
  std::string algorithm() const;

  // An axis of the result: its extent, and how far apart its elements are in both tensors.
  struct Axis {
    size_t extent = 1;
    size_t from = 0;  // floats in x
    size_t to = 0;    // floats in y
  };

  // The code of one target.
  struct Code {
    // rows [begin, end) of `length` floats, found through the outer axes.
    void (*copy)(const Permute& plan, const float* x, float* y, size_t begin, size_t end);
    // dst[c * dst_ld + r] = src[r * ld + c] for r < rows and c < columns.
    void (*transpose)(const float* src, size_t ld, size_t rows, size_t columns, float* dst,
                      size_t dst_ld);
  };

  // The offsets of one combination of the outer axes.
  struct Place {
    size_t from = 0;
    size_t to = 0;
  };
  Place place(size_t outer_index) const;
  size_t length() const { return last_.extent; }

 private:
  void run_rows(const float* x, float* y, ThreadPool& thread_pool) const;
  void run_tiles(const float* x, float* y, ThreadPool& thread_pool) const;

  struct Way;                // permute.cpp
  static const Way kWays[];  // in the order in which they are asked

  // Axes that stay neighbours are one axis.
  std::vector<Axis> outer_;  // all but the other two
  size_t outer_count_ = 1;
  Axis first_;  // the one that is dense in x, unless that is the last
  Axis last_;   // the one that is dense in y
  const Way* way_;
  Code code_;
};

}  // namespace nsop::kernels
