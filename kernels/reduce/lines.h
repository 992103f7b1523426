// How reductions to one number per line are shared out: which ways there are, and which one is
// taken.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/ways.h"

namespace nsop::kernels {

// Into how many parts a line is cut on so many threads; 1: it isn't. Lines are cut where they are
// long and few, at multiples of 64 elements, so that there is work for all threads but no part is
// much smaller than `least` elements, nor empty. No division unless lines are cut.
inline size_t line_parts(const AxisShape& shape, int threads, size_t least) {
  const auto wanted = static_cast<size_t>(threads);
  const size_t smallest = std::max<size_t>(64, least);
  if (shape.inner > 1 || shape.outer >= wanted || shape.length < 2 * smallest) return 1;
  const size_t parts = (wanted + shape.outer - 1) / shape.outer;
  return std::min(parts, shape.length / smallest);
}

// In a run on a pool.
inline size_t line_parts(const AxisShape& shape, const ThreadPool& thread_pool) {
  return line_parts(shape, thread_pool.threads(), thread_pool.least(kReducedElements));
}

// Floats of workspace for the results of the parts, so many floats each: enough for any pool of so
// many threads.
inline size_t parts_floats(const AxisShape& shape, int threads, size_t part_floats) {
  const size_t parts = line_parts(shape, threads, 1);
  return parts > 1 ? part_floats * parts * shape.outer : 0;
}

// One run: x [outer, length, inner] -> y [outer, inner].
struct LinesRun {
  const float* x;
  float* y;
  float* workspace;
  size_t parts;  // of each line
  ThreadPool& thread_pool;
};

// A way of a reduction; Code is that of one target.
template <class Code>
struct LinesWay {
  Required<const char*> name;
  Required<void (*)(const AxisShape& shape, const Code& code, const LinesRun& run)> run;
};

// All ways, with what a reduction calls and does them.
template <class Code>
struct LinesWays {
  LinesWay<Code> columns;  // lines side by side, in the lanes of vectors
  LinesWay<Code> parts;    // lines that are cut, whose parts' results are joined
  LinesWay<Code> rows;     // whole lines of consecutive elements

  // The way of lines that are cut into so many parts; nothing else decides between the ways.
  constexpr const LinesWay<Code>& of(const AxisShape& shape, size_t count) const {
    if (shape.inner > 1) return columns;
    return count > 1 ? parts : rows;
  }
  const LinesWay<Code>& of(const AxisShape& shape, const ThreadPool& thread_pool) const {
    return of(shape, line_parts(shape, thread_pool));
  }
};

template <class Code>
void reduce_lines(const LinesWays<Code>& ways, const AxisShape& shape, const Code& code,
                  const float* x, float* y, float* workspace, ThreadPool& thread_pool) {
  const size_t parts = line_parts(shape, thread_pool);
  ways.of(shape, parts).run(shape, code, {x, y, workspace, parts, thread_pool});
}

// The columns of any reduction: code.columns() writes the results of lines side by side.
template <class Code>
void reduce_columns(const AxisShape& s, const Code& code, const LinesRun& run) {
  parallel_columns(
      run.thread_pool, s, kReducedElements, [&](size_t outer, size_t begin, size_t end) {
        code.columns(run.x + outer * s.length * s.inner + begin,
                     Columns{s.length, s.inner, end - begin}, run.y + outer * s.inner + begin);
      });
}

// The rows of a reduction where code.rows() writes the results of lines of consecutive elements.
template <class Code>
void reduce_rows(const AxisShape& s, const Code& code, const LinesRun& run) {
  parallel_lines(run.thread_pool, s, kReducedElements, [&](size_t begin, size_t end) {
    code.rows(run.x + begin * s.length, end - begin, s.length, run.y + begin);
  });
}

// Calls part(i, x, range) for the i-th of all parts, range of its line, from x on; on some thread.
template <class PartFn>
void for_each_part(const AxisShape& s, const LinesRun& run, const PartFn& part) {
  run.thread_pool.parallel(static_cast<int>(s.outer * run.parts), [&](int index, int) {
    const auto task = static_cast<size_t>(index);
    const Range range = split_range(s.length, 64, run.parts, task % run.parts);
    part(task, run.x + task / run.parts * s.length + range.begin, range);
  });
}

}  // namespace nsop::kernels
