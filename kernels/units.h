// Sharing out units of work of known size over the threads of a pool.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/pool.h"

namespace nsop::kernels {

// How many parts, at most one per thread, `units` of `floats` floats each are worth: below some
// thousand floats a fork costs more than it brings.
inline size_t worthwhile_parts(const Pool& pool, size_t units, size_t floats) {
  constexpr size_t kLeastFloats = 8192;
  const size_t wanted = std::max<size_t>(1, units * floats / kLeastFloats);
  return std::min<size_t>(
      {static_cast<size_t>(pool.threads()), wanted, std::max<size_t>(1, units)});
}

// Calls fn(begin, end, part) on consecutive ranges of [0, units), one per part.
template <class Fn>
void parallel_units(Pool& pool, size_t units, size_t floats, Fn&& fn) {
  const size_t parts = worthwhile_parts(pool, units, floats);
  pool.parallel(static_cast<int>(parts), [&](int part, int) {
    const Range range = split_range(units, 1, parts, static_cast<size_t>(part));
    if (range.size() > 0) fn(range.begin, range.end, static_cast<size_t>(part));
  });
}

}  // namespace nsop::kernels
