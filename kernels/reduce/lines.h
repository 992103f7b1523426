// How reductions to one number per line are shared out: which ways there are, and which one is
// taken.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {

enum class LinesWay {
  kColumns,  // lines side by side, in the lanes of vectors
  kParts,    // lines that are long and few: each is cut into parts, whose results are joined
  kRows,     // whole lines of consecutive elements
};

struct LinesChoice {
  LinesWay way;
  size_t parts = 1;  // of each line: at least 2 with kParts, else 1
};

// The way on so many threads; nothing else decides between the ways. Lines are cut at multiples of
// 64 elements, so that there is work for all threads but no part is much smaller than `least`
// elements, nor empty. No division unless lines are cut.
inline LinesChoice lines_choice(const AxisShape& shape, int threads, size_t least) {
  if (shape.inner > 1) return {LinesWay::kColumns};
  const auto wanted = static_cast<size_t>(threads);
  const size_t smallest = std::max<size_t>(64, least);
  if (shape.outer >= wanted || shape.length < 2 * smallest) return {LinesWay::kRows};
  const size_t parts = (wanted + shape.outer - 1) / shape.outer;
  return {LinesWay::kParts, std::min(parts, shape.length / smallest)};
}

// The way of a run on a pool.
inline LinesChoice lines_choice(const AxisShape& shape, const ThreadPool& thread_pool) {
  return lines_choice(shape, thread_pool.threads(), thread_pool.least(kReducedElements));
}

// Floats of workspace for the results of the parts, so many floats each: enough for any pool of so
// many threads.
inline size_t parts_floats(const AxisShape& shape, int threads, size_t part_floats) {
  const LinesChoice choice = lines_choice(shape, threads, 1);
  return choice.way == LinesWay::kParts ? part_floats * choice.parts * shape.outer : 0;
}

// Of x [outer, length, inner] with results y [outer, inner]. Calls, by the way on the pool,
//   columns(x, Columns, y)  on lines side by side, from x on, with their results from y on,
//   parts(count)            once: each line is to be cut into so many,
//   rows(begin, end)        on ranges of lines of consecutive elements.
template <class ColumnsFn, class PartsFn, class RowsFn>
void reduce_lines(const AxisShape& shape, const float* x, float* y, ThreadPool& thread_pool,
                  const ColumnsFn& columns, const PartsFn& parts, const RowsFn& rows) {
  const LinesChoice choice = lines_choice(shape, thread_pool);
  switch (choice.way) {
    case LinesWay::kColumns:
      return parallel_columns(thread_pool, shape, kReducedElements,
                              [&](size_t outer, size_t begin, size_t end) {
                                columns(x + outer * shape.length * shape.inner + begin,
                                        Columns{shape.length, shape.inner, end - begin},
                                        y + outer * shape.inner + begin);
                              });
    case LinesWay::kParts:
      return parts(choice.parts);
    case LinesWay::kRows:
      return parallel_lines(thread_pool, shape, kReducedElements, rows);
  }
}

}  // namespace nsop::kernels
