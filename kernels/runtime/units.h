// Sharing out units of work of known size over the threads of a pool.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// How many parts, at most one per thread, `units` of `floats` floats each are worth.
inline size_t unit_parts(const ThreadPool& thread_pool, size_t units, size_t floats,
                         size_t threshold) {
  return std::min(worthwhile_parts(thread_pool, units * floats, threshold),
                  std::max<size_t>(1, units));
}

// Calls fn(begin, end, part) on consecutive ranges of [0, units), one per part.
template <class Fn>
void parallel_units(ThreadPool& thread_pool, size_t units, size_t floats, size_t threshold,
                    Fn&& fn) {
  const size_t parts = unit_parts(thread_pool, units, floats, threshold);
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    const Range range = split_range(units, 1, parts, static_cast<size_t>(part));
    if (range.size() > 0) fn(range.begin, range.end, static_cast<size_t>(part));
  });
}

}  // namespace nsop::kernels
