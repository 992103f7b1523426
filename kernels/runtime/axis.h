// A tensor seen along one of its axes, and how its lines are shared out to threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "harness/core/case.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// A row-major tensor as [outer, length, inner]; `length` is the axis. All are at least 1.
struct AxisShape {
  size_t outer = 1;
  size_t length = 1;
  size_t inner = 1;
  size_t lines() const { return outer * inner; }
  size_t size() const { return outer * length * inner; }
};

// Of the keys `n` and `axis` of a case; `axis=all` makes one line of the whole tensor.
AxisShape axis_shape_of(const Case& op_case);

// Lines side by side (inner > 1): `columns` of them, whose elements are `stride` floats apart.
struct Columns {
  size_t length = 0;
  size_t stride = 0;
  size_t columns = 0;
};

// Calls fn(begin, end) on ranges of the outer lines, at most one per thread and none much smaller
// than thread_pool.least(threshold) elements. For shapes with inner == 1.
template <class Fn>
void parallel_lines(ThreadPool& thread_pool, const AxisShape& shape, size_t threshold, Fn&& fn) {
  const size_t parts =
      std::min(worthwhile_parts(thread_pool, shape.size(), threshold), shape.outer);
  if (parts == 1) return fn(0, shape.outer);
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    const Range range = split_range(shape.outer, 1, parts, static_cast<size_t>(part));
    if (range.size() > 0) fn(range.begin, range.end);
  });
}

// Calls fn(outer, begin, end) on ranges of columns that together are all of them, whole cache lines
// each, so that the threads have about the same work.
template <class Fn>
void parallel_columns(ThreadPool& thread_pool, const AxisShape& shape, size_t threshold, Fn&& fn) {
  const size_t wanted = worthwhile_parts(thread_pool, shape.size(), threshold);
  if (wanted == 1) {
    for (size_t outer = 0; outer < shape.outer; ++outer) fn(outer, 0, shape.inner);
    return;
  }
  const size_t blocks = shape.outer >= wanted ? 1 : (wanted + shape.outer - 1) / shape.outer;
  const size_t tasks = shape.outer * blocks;
  const size_t parts = std::min(wanted, tasks);
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    const Range share = split_range(tasks, 1, parts, static_cast<size_t>(part));
    for (size_t task = share.begin; task < share.end; ++task) {
      const Range range = split_range(shape.inner, 16, blocks, task % blocks);
      if (range.size() > 0) fn(task / blocks, range.begin, range.end);
    }
  });
}

}  // namespace nsop::kernels
