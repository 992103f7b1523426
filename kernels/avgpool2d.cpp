#include <cassert>

#include "kernels/pool2d.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/avgpool2d.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/pool2d-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Windows of 2x2 side by side. x [planes, height, width] -> window rows [begin, end) of y. 5 bytes
// and 1 flop per element of x.
void average_halves(const Pool2dShape& s, const float* x, float* y, size_t begin, size_t end) {
  const size_t oh = s.out_height();
  const size_t ow = s.out_width();
  const auto top_of = [&](size_t row) {
    return x + (row / oh * s.height + row % oh * 2) * s.width;
  };
  const auto vectors = [&](auto d) {
    using V = hn::Vec<decltype(d)>;
    const size_t lanes = hn::MaxLanes(d);
    for (size_t row = begin; row < end; ++row) {
      const float* top = top_of(row);
      for (size_t i = 0; i < ow; i = next_start(i, lanes, ow)) {
        V even0, odd0, even1, odd1;
        load_pairs(d, top + 2 * i, even0, odd0);
        load_pairs(d, top + s.width + 2 * i, even1, odd1);
        const V sum = hn::Add(hn::Add(even0, odd0), hn::Add(even1, odd1));
        hn::StoreU(hn::Mul(sum, hn::Set(d, 0.25f)), d, y + row * ow + i);
      }
    }
  };
  with_lanes_for(ow, vectors, [&] {
    for (size_t row = begin; row < end; ++row) {
      const float* top = top_of(row);
      const float* bottom = top + s.width;
      for (size_t i = 0; i < ow; ++i) {
        const float upper = top[2 * i] + top[2 * i + 1];
        y[row * ow + i] = 0.25f * (upper + (bottom[2 * i] + bottom[2 * i + 1]));
      }
    }
  });
}

// Rows 2 * pair and 2 * pair + 1 of every plane of dx for pairs [begin, end), the last row of an
// odd height and the last column of an odd width being zeros.
void spread_halves(const Pool2dShape& s, const float* dy, float* dx, size_t begin, size_t end) {
  const size_t ow = s.out_width();
  const size_t pairs = (s.height + 1) / 2;
  const auto for_each_pair = [&](const auto& fill_rows) {
    for (size_t unit = begin; unit < end; ++unit) {
      const size_t plane = unit / pairs;
      const size_t pair = unit % pairs;
      float* top = dx + (plane * s.height + 2 * pair) * s.width;
      if (2 * pair + 1 == s.height) {
        fill_floats(top, s.width, 0.0f);
        continue;
      }
      fill_rows(dy + (plane * s.out_height() + pair) * ow, top);
      if (2 * ow < s.width) top[s.width - 1] = top[2 * s.width - 1] = 0.0f;
    }
  };
  const auto vectors = [&](auto d) {
    const size_t lanes = hn::MaxLanes(d);
    for_each_pair([&](const float* from, float* top) {
      for (size_t i = 0; i < ow; i = next_start(i, lanes, ow)) {
        const auto share = hn::Mul(hn::LoadU(d, from + i), hn::Set(d, 0.25f));
        store_pairs(share, share, d, top + 2 * i);
        store_pairs(share, share, d, top + s.width + 2 * i);
      }
    });
  };
  with_lanes_for(ow, vectors, [&] {
    for_each_pair([&](const float* from, float* top) {
      for (size_t i = 0; i < 2 * ow; ++i) top[i] = top[s.width + i] = 0.25f * from[i / 2];
    });
  });
}

// sums[i] = scale * (rows of `ld` floats, added up) for i < columns.
void sum_rows(const float* rows, size_t ld, size_t count, size_t columns, float scale,
              float* sums) {
  const FloatTag d;
  for (size_t i = 0; i < columns; i += kLanes) {
    const size_t left = HWY_MIN(kLanes, columns - i);
    const auto load = [&](size_t row) {
      const float* from = rows + row * ld + i;
      return left == kLanes ? hn::LoadU(d, from) : load_n(d, from, left);
    };
    FloatVec sum = count == 0 ? hn::Zero(d) : load(0);
    for (size_t row = 1; row < count; ++row) sum = hn::Add(sum, load(row));
    hn::StoreU(hn::Mul(sum, hn::Set(d, scale)), d, sums + i);  // padded
  }
}

// One row of y from the sums down the columns of its windows.
void average_along(const Pool2dRows& rows, const float* sums, float* phases, float scale,
                   float* y) {
  const FloatTag d;
  split_phases(rows, sums, phases);
  for (size_t i = 0; i < rows.out_width; i += kLanes) {
    FloatVec sum = hn::Zero(d);
    for (size_t phase = 0; phase < rows.stride; ++phase) {
      const float* from = phases + phase * rows.length + i;
      for (size_t k = phase; k < rows.kernel; k += rows.stride) {
        sum = hn::Add(sum, hn::LoadU(d, from++));
      }
    }
    sum = hn::Mul(sum, hn::Set(d, scale));
    const size_t left = rows.out_width - i;
    if (left >= kLanes) {
      hn::StoreU(sum, d, y + i);
    } else {
      store_n(sum, d, y + i, left);
    }
  }
}

// The same, window by window.
void average_apart(const Pool2dRows& rows, const float* sums, float scale, float* y) {
  for (size_t i = 0; i < rows.out_width; ++i) {
    const Range columns = rows.columns_of_window(i);
    y[i] = scale * sum_of(sums + columns.begin, columns.size());
  }
}

// Any window: down the columns first, then along the row. Workspace: a row of sums, its phases.
void average_rows(const Pool2dShape& s, const float* x, float* y, float* workspace, size_t begin,
                  size_t end) {
  const Pool2dRows rows(s);
  float* sums = workspace;
  float* phases = sums + rows.row_floats();
  fill_floats(phases, rows.phase_floats(), 0.0f);
  const float scale = 1.0f / static_cast<float>(s.kernel * s.kernel);
  for (size_t row = begin; row < end; ++row) {
    const Range in = rows_of_window(s, row % s.out_height());
    const float* first = x + (row / s.out_height() * s.height + in.begin) * s.width;
    sum_rows(first, s.width, in.size(), s.width, 1.0f, sums);
    float* to = y + row * rows.out_width;
    if (rows.in_lanes()) {
      average_along(rows, sums, phases, scale, to);
    } else {
      average_apart(rows, sums, scale, to);
    }
  }
}

// The sum of a row of windows over those that padded column `column` is in; for lanes > 1, of
// every stride-th column from there. `windows` has zeros on both sides.
template <class D>
HWY_INLINE hn::Vec<D> sum_over_windows(D d, const Pool2dRows& rows, const float* windows,
                                       size_t column) {
  const size_t phase = column % rows.stride;
  const float* last = windows + column / rows.stride;
  hn::Vec<D> sum = hn::Zero(d);
  for (size_t k = phase; k < rows.kernel; k += rows.stride) {
    sum = hn::Add(sum, hn::LoadU(d, last--));
  }
  return sum;
}

// Rows [begin, end) of dx, counted through all planes.
void spread_rows(const Pool2dShape& s, const float* dy, float* dx, float* workspace, size_t begin,
                 size_t end) {
  const FloatTag d;
  const Pool2dRows rows(s);
  fill_floats(workspace, rows.out_length(), 0.0f);
  float* windows = workspace + rows.lead;
  const float scale = 1.0f / static_cast<float>(s.kernel * s.kernel);
  for (size_t row = begin; row < end; ++row) {
    const Range out = windows_of_row(s, row % s.height);
    const float* first = dy + (row / s.height * s.out_height() + out.begin) * rows.out_width;
    sum_rows(first, rows.out_width, out.size(), rows.out_width, scale, windows);
    float* to = dx + row * s.width;
    size_t i = 0;
    if (s.stride == 1) {
      for (; i + kLanes <= s.width; i += kLanes) {
        hn::StoreU(sum_over_windows(d, rows, windows, i + s.pad), d, to + i);
      }
    } else if (s.stride == 2) {
      for (; i + 2 * kLanes <= s.width; i += 2 * kLanes) {
        const FloatVec even = sum_over_windows(d, rows, windows, i + s.pad);
        const FloatVec odd = sum_over_windows(d, rows, windows, i + 1 + s.pad);
        store_pairs(even, odd, d, to + i);
      }
    }
    const hn::FixedTag<float, 1> d1;
    for (; i < s.width; ++i) {
      to[i] = hn::GetLane(sum_over_windows(d1, rows, windows, i + s.pad));
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(average_halves);
HWY_EXPORT(spread_halves);
HWY_EXPORT(average_rows);
HWY_EXPORT(spread_rows);

}  // namespace

size_t pool2d_workspace_floats(const Pool2dShape& shape, int threads) {
  if (shape.halves()) return 0;
  return Pool2dRows(shape).floats_per_thread() * static_cast<size_t>(threads);
}

void avgpool2d_forward(const Pool2dShape& shape, std::span<const float> x, std::span<float> y,
                       std::span<float> workspace, Pool& pool) {
  assert(x.size() == shape.x_size() && y.size() == shape.y_size());
  const auto halves = HWY_DYNAMIC_DISPATCH(average_halves);
  const auto rows = HWY_DYNAMIC_DISPATCH(average_rows);
  const size_t windows = shape.planes * shape.out_height();
  parallel_rows(pool, windows, shape.kernel * shape.width, workspace,
                [&](size_t begin, size_t end, float* own) {
                  if (shape.halves()) return halves(shape, x.data(), y.data(), begin, end);
                  rows(shape, x.data(), y.data(), own, begin, end);
                });
}

void avgpool2d_backward(const Pool2dShape& shape, std::span<const float> dy, std::span<float> dx,
                        std::span<float> workspace, Pool& pool) {
  assert(dx.size() == shape.x_size() && dy.size() == shape.y_size());
  const auto halves = HWY_DYNAMIC_DISPATCH(spread_halves);
  const auto rows = HWY_DYNAMIC_DISPATCH(spread_rows);
  const size_t units = shape.planes * (shape.halves() ? (shape.height + 1) / 2 : shape.height);
  parallel_rows(pool, units, shape.x_size() / units, workspace,
                [&](size_t begin, size_t end, float* own) {
                  if (shape.halves()) return halves(shape, dy.data(), dx.data(), begin, end);
                  rows(shape, dy.data(), dx.data(), own, begin, end);
                });
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
