// What the element-wise kernels share on the side that calls them.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/pool.h"
#include "kernels/streaming.h"

namespace nsop::kernels {

// What a function is given beside its operands.
struct ElementwiseArgs {
  float p0 = 0;  // alpha, exponent or lower bound
  float p1 = 0;  // upper bound
  bool stream = false;
};

// y[i] = f(x[i]) for i < n, on one thread.
using UnaryPart = void (*)(const float* x, float* y, size_t n, const ElementwiseArgs& args);
// c[i] = f(a[i], b[i]).
using BinaryPart = void (*)(const float* a, const float* b, float* c, size_t n,
                            const ElementwiseArgs& args);

// Whether n elements are done by one call of a part on this thread, with plain stores: of so few,
// arrays fit into any level-2 cache, and the calls that decide it cost as much as the work.
constexpr size_t kMostAtOnce = 8192;
inline bool done_at_once(const Pool& pool, size_t n) {
  return n <= kMostAtOnce && pool.threads() == 1;
}

// Applies a part to whole arrays of one size, split over threads with at least `least` elements
// each. y may be x; c may be a or b.
void run_unary(UnaryPart part, std::span<const float> x, std::span<float> y, Pool& pool,
               size_t least, ElementwiseArgs args = {});
void run_binary(BinaryPart part, std::span<const float> a, std::span<const float> b,
                std::span<float> c, Pool& pool, size_t least, ElementwiseArgs args = {});

}  // namespace nsop::kernels
