// Operands that stand still along some dimensions of the result: how they move while its elements
// are walked in order.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "harness/core/tensor/tensor.h"

namespace nsop::kernels {

// The shape of the result with neighbouring dimensions merged where every one of K operands steps
// through both or through neither.
template <size_t K>
struct Broadcasts {
  static constexpr size_t kMaxRank = 8;
  size_t rank = 0;
  size_t extent[kMaxRank] = {};                 // outermost first
  std::array<size_t, K> stride[kMaxRank] = {};  // elements; 0 where an operand stands still

  size_t elements() const {
    size_t count = 1;
    for (size_t d = 0; d < rank; ++d) count *= extent[d];
    return count;
  }
  size_t inner_extent() const { return extent[rank - 1]; }
  const std::array<size_t, K>& inner_stride() const { return stride[rank - 1]; }
};

// The broadcast of operands to the shape `n` as NumPy does it: aligned at the last dimension, each
// extent 1 or the extent of n, at most kMaxRank dimensions remaining after merging (assert).
template <size_t K>
Broadcasts<K> broadcasts_of(const Shape& n, const std::array<Shape, K>& operands) {
  // Built from the innermost dimension outwards, then reversed.
  Broadcasts<K> result;
  std::array<size_t, K> next;
  next.fill(1);
  for (size_t i = 0; i < n.size(); ++i) {
    const auto extent = static_cast<size_t>(n[n.size() - 1 - i]);
    std::array<size_t, K> stride{};
    bool merges = result.rank > 0;
    for (size_t k = 0; k < K; ++k) {
      const Shape& shape = operands[k];
      assert(shape.size() <= n.size());
      const size_t own = i < shape.size() ? static_cast<size_t>(shape[shape.size() - 1 - i]) : 1;
      assert(own == 1 || own == extent);
      stride[k] = own == 1 ? 0 : next[k];
      next[k] *= own;
      const size_t top = result.rank - 1;
      merges = merges && stride[k] == result.stride[top][k] * result.extent[top];
    }
    if (extent == 1) continue;
    if (merges) {
      result.extent[result.rank - 1] *= extent;
      continue;
    }
    assert(result.rank < Broadcasts<K>::kMaxRank);
    result.extent[result.rank] = extent;
    result.stride[result.rank++] = stride;
  }
  if (result.rank == 0) {
    result.rank = 1;
    result.extent[0] = 1;
  }
  std::reverse(result.extent, result.extent + result.rank);
  std::reverse(result.stride, result.stride + result.rank);
  return result;
}

// Calls fn(first, count, offsets) for runs of elements [first, first + count) of the result that
// together are [begin, end) and over which each operand moves or stands still as inner_stride()
// says; offsets: of the operands at `first`.
template <size_t K, class Fn>
void for_each_run(const Broadcasts<K>& b, size_t begin, size_t end, Fn&& fn) {
  const size_t last = b.rank - 1;
  std::array<size_t, Broadcasts<K>::kMaxRank> index{};  // of the outer dimensions
  std::array<size_t, K> offset{};                       // of the run that begins there
  const auto move = [&](size_t d, size_t steps) {
    for (size_t k = 0; k < K; ++k) offset[k] += steps * b.stride[d][k];
  };
  size_t rest = begin / b.extent[last];
  for (size_t d = last; d-- > 0;) {
    index[d] = rest % b.extent[d];
    move(d, index[d]);
    rest /= b.extent[d];
  }
  size_t inner = begin % b.extent[last];
  for (size_t i = begin; i < end;) {
    const size_t count = std::min(b.extent[last] - inner, end - i);
    std::array<size_t, K> at = offset;
    for (size_t k = 0; k < K; ++k) at[k] += inner * b.stride[last][k];
    fn(i, count, at);
    i += count;
    inner = 0;
    for (size_t d = last; d-- > 0;) {
      move(d, 1);
      if (++index[d] < b.extent[d]) break;
      for (size_t k = 0; k < K; ++k) offset[k] -= b.extent[d] * b.stride[d][k];
      index[d] = 0;
    }
  }
}

// Calls use(OnePass()) where all elements are one run, over which each operand moves or stands
// still, else use(Runs()), for which for_each_run() is. Nothing else decides between the two ways
// of an op.
template <class OnePass, class Runs, size_t K, class Use>
auto with_broadcast_way(const Broadcasts<K>& b, Use&& use) {
  return b.rank == 1 ? use(OnePass()) : use(Runs());
}

}  // namespace nsop::kernels
