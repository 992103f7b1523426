// What the element-wise kernels share on the side that calls them.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// What a function is given beside its operands.
struct ElementwiseArgs {
  float p0 = 0;  // alpha, exponent or lower bound
  float p1 = 0;  // upper bound
  bool nontemporal = false;
};

// y[i] = f(x[i]) for i < n, on one thread.
using UnaryPart = void (*)(const float* x, float* y, size_t n, const ElementwiseArgs& args);
// c[i] = f(a[i], b[i]).
using BinaryPart = void (*)(const float* a, const float* b, float* c, size_t n,
                            const ElementwiseArgs& args);

// Whether n elements, split over threads with at least `least` each, are done by one call of a part
// on this thread, with plain stores: of so few, arrays fit into any level-2 cache, and the calls
// that decide it cost as much as the work.
constexpr size_t kMostAtOnce = 8192;
inline bool done_at_once(const ThreadPool& thread_pool, size_t n, size_t least) {
  return n <= kMostAtOnce && worthwhile_parts(thread_pool, n, least) == 1;
}

// Applies a part to whole arrays of one size, split over threads with at least `least` elements
// each. y may be x; c may be a or b. b may be one element that is for all, with a part that wants
// it so.
void run_unary_in_chunks(UnaryPart part, std::span<const float> x, std::span<float> y,
                         ThreadPool& thread_pool, size_t least, ElementwiseArgs args);
void run_binary_in_chunks(BinaryPart part, std::span<const float> a, std::span<const float> b,
                          std::span<float> c, ThreadPool& thread_pool, size_t least,
                          ElementwiseArgs args);

// The same, short arrays at once.
inline void run_unary(UnaryPart part, std::span<const float> x, std::span<float> y,
                      ThreadPool& thread_pool, size_t least, const ElementwiseArgs& args = {}) {
  assert(y.size() == x.size());
  if (done_at_once(thread_pool, x.size(), least)) return part(x.data(), y.data(), x.size(), args);
  run_unary_in_chunks(part, x, y, thread_pool, least, args);
}

inline void run_binary_or_standing(BinaryPart part, std::span<const float> a,
                                   std::span<const float> b, std::span<float> c,
                                   ThreadPool& thread_pool, size_t least,
                                   const ElementwiseArgs& args = {}) {
  assert((b.size() == a.size() || b.size() == 1) && c.size() == a.size());
  if (done_at_once(thread_pool, a.size(), least)) {
    return part(a.data(), b.data(), c.data(), a.size(), args);
  }
  run_binary_in_chunks(part, a, b, c, thread_pool, least, args);
}

// With a part that moves both operands.
inline void run_binary(BinaryPart part, std::span<const float> a, std::span<const float> b,
                       std::span<float> c, ThreadPool& thread_pool, size_t least,
                       const ElementwiseArgs& args = {}) {
  assert(b.size() == a.size());
  run_binary_or_standing(part, a, b, c, thread_pool, least, args);
}

}  // namespace nsop::kernels
