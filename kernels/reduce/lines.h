// How reductions to one number per line are shared out.
#pragma once

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {

// Of x [outer, length, inner] with results y [outer, inner]. Calls one of
//   columns(x, Columns, y)  on lines side by side, from x on, with their results from y on,
//   parts(count)            once, where lines are long and few: each is to be cut into so many,
//   lines(begin, end)       on ranges of lines of consecutive elements.
template <class ColumnsFn, class PartsFn, class LinesFn>
void reduce_lines(const AxisShape& shape, const float* x, float* y, ThreadPool& pool,
                  const ColumnsFn& columns, const PartsFn& parts, const LinesFn& lines) {
  if (shape.inner > 1) {
    return parallel_columns(
        pool, shape, kReducedElements, [&](size_t outer, size_t begin, size_t end) {
          columns(x + outer * shape.length * shape.inner + begin,
                  Columns{shape.length, shape.inner, end - begin}, y + outer * shape.inner + begin);
        });
  }
  const size_t count = parts_per_line(shape, pool.threads(), pool.least(kReducedElements));
  if (count > 1) return parts(count);
  parallel_lines(pool, shape, kReducedElements, lines);
}

}  // namespace nsop::kernels
