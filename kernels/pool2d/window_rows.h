// How the pooling kernels go through rows: rows shared out over threads, and the layout of the
// padded copies of rows that windows slide over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/pool2d/pool2d.h"
#include "kernels/runtime/units.h"

namespace nsop::kernels {

// Windows that slide along a row. Where they do in lanes, a padded row is kept as one row per
// phase: padded column c is element c / stride of phase c % stride, so that the same tap of
// neighbouring windows is contiguous.
struct Pool2dRows {
  explicit Pool2dRows(const Pool2dShape& s)
      : width(s.width),
        out_width(s.out_width()),
        kernel(s.across.kernel),
        stride(s.across.stride),
        pad(s.across.pad),
        lead((kernel - 1) / stride),
        length(padded(std::max(s.out_width() + lead, (s.width - 1 + pad) / stride + 1))),
        gathered_rows(std::min(s.down.overlap(), s.out_height())) {}

  size_t width, out_width, kernel, stride, pad;
  size_t lead;           // windows before a window that may share a column with it
  size_t length;         // floats of one phase, with room for a vector past its end
  size_t gathered_rows;  // rows of windows that one row of x is in

  // The columns of x in a window.
  Range columns_of_window(size_t out) const {
    const size_t left = out * stride;
    return {left > pad ? left - pad : 0, std::min(width, left + kernel - pad)};
  }
  size_t row_floats() const { return padded(width); }
  size_t phase_floats() const { return stride * length; }  // of all phases of a row
  // A row of windows with `lead` elements before its first.
  size_t out_length() const { return padded(length + lead); }

  static size_t padded(size_t floats) { return (floats + 15) / 16 * 16 + 16; }
};

// The range [first, last) of rows that slide into one: the rows of x in window row `out`, or the
// window rows that x's row `in` is in.
inline Range rows_of_window(const Pool2dShape& s, size_t out) {
  const PoolAxis& a = s.down;
  const size_t top = out * a.stride;  // of the padded plane
  return {top > a.pad ? top - a.pad : 0, std::min(s.height, top + a.kernel - a.pad)};
}
inline Range windows_of_row(const Pool2dShape& s, size_t in) {
  const PoolAxis& a = s.down;
  const size_t row = in + a.pad;
  const size_t first = row < a.kernel ? 0 : (row - a.kernel) / a.stride + 1;
  const size_t last = std::min(s.out_height(), row / a.stride + 1);
  return {std::min(first, last), last};
}

// Calls fn(plane, row) for the rows [begin, end), counted through planes of `height` rows. No
// division per row: rows are short.
template <class Fn>
inline void for_each_row(size_t begin, size_t end, size_t height, Fn&& fn) {
  size_t plane = begin / height;
  size_t row = begin % height;
  for (size_t left = end - begin; left > 0; --left) {
    fn(plane, row);
    if (++row == height) {
      row = 0;
      ++plane;
    }
  }
}

// Calls fn(begin, end, workspace) on consecutive ranges of [0, units), one per thread and none of
// much less than `threshold` floats of x, of which `floats` belong to a unit.
template <class Fn>
void parallel_rows(ThreadPool& thread_pool, size_t units, size_t floats, size_t threshold,
                   std::span<float> workspace, Fn fn) {
  const size_t parts = unit_parts(thread_pool, units, floats, threshold);
  const size_t share = workspace.size() / static_cast<size_t>(thread_pool.threads()) / 16 * 16;
  // By value: another thread then reads few lines of the caller's stack, not one for each variable.
  const auto run = [=, own = workspace.data()](int part, int thread) {
    const Range range = split_range(units, 1, parts, static_cast<size_t>(part));
    if (range.size() == 0) return;
    fn(range.begin, range.end, own + static_cast<size_t>(thread) * share);
  };
  thread_pool.parallel(static_cast<int>(parts), run);
}

}  // namespace nsop::kernels
