// The averages of pool2d.h. The rows of its ways are declared in way.h.
#include "kernels/pool2d/way.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool2d/avgpool2d.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/pool2d/pool2d-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Rows of windows that fill half a vector each, `count` of them, and nothing between them: two at
// once. Half a vector is 8 windows at most.
void average_half_vectors(const float* x, float* y, size_t count) {
  const FloatTag d;
  const FloatVec quarter = hn::Set(d, 0.25f);
  const auto down = [&](const float* top) {
    return hn::Add(hn::LoadU(d, top), hn::LoadU(d, top + kLanes));
  };
  size_t row = 0;
  for (; row + 2 <= count; row += 2) {
    const float* top = x + row * 2 * kLanes;
    const FloatVec sums = add_neighbours(d, down(top + 2 * kLanes), down(top));
    hn::StoreU(hn::Mul(sums, quarter), d, y + row * (kLanes / 2));
  }
  if (row == count) return;
  const FloatVec last = down(x + row * 2 * kLanes);
  store_n(hn::Mul(add_neighbours(d, last, last), quarter), d, y + row * (kLanes / 2), kLanes / 2);
}

// Windows of 2x2 side by side. x [planes, height, width] -> window rows [begin, end) of y. 5 bytes
// and 1 flop per element of x.
void average_halves(const Pool2dShape& s, const PoolTensors& t, float* /*own*/, size_t begin,
                    size_t end) {
  const float* const x = t.x;
  float* y = t.y;
  if (fills_half_vectors(s) && s.height % 2 == 0) {
    return average_half_vectors(x + begin * 2 * kLanes, y + begin * (kLanes / 2), end - begin);
  }
  const size_t ow = s.out_width();
  y += begin * ow;
  const auto for_each = [&](const auto& average_pair) {
    for_each_row(begin, end, s.out_height(), [&](size_t plane, size_t row) {
      const float* top = x + (plane * s.height + 2 * row) * s.width;
      average_pair(top, top + s.width, y);
      y += ow;
    });
  };
  const auto vectors = [&](auto d) {
    using V = hn::Vec<decltype(d)>;
    const V quarter = hn::Set(d, 0.25f);
    for_each([&](const float* top, const float* bottom, float* to) {
      for (size_t i = 0; i < ow; i = next_start(i, hn::MaxLanes(d), ow)) {
        const size_t lanes = hn::MaxLanes(d);
        const V lo = hn::Add(hn::LoadU(d, top + 2 * i), hn::LoadU(d, bottom + 2 * i));
        const V hi =
            hn::Add(hn::LoadU(d, top + 2 * i + lanes), hn::LoadU(d, bottom + 2 * i + lanes));
        hn::StoreU(hn::Mul(add_neighbours(d, hi, lo), quarter), d, to + i);
      }
    });
  };
  with_lanes_for(ow, vectors, [&] {
    for_each([&](const float* top, const float* bottom, float* to) {
      for (size_t i = 0; i < ow; ++i) {
        const float upper = top[2 * i] + top[2 * i + 1];
        to[i] = 0.25f * (upper + (bottom[2 * i] + bottom[2 * i + 1]));
      }
    });
  });
}

// `count` pairs of rows of one vector each, and nothing between them: two pairs at once, whose
// windows are one vector of dy.
void spread_half_vectors(const float* dy, float* dx, size_t count) {
  const FloatTag d;
  const FloatVec quarter = hn::Set(d, 0.25f);
  size_t pair = 0;
  for (; pair + 2 <= count; pair += 2, dy += kLanes, dx += 4 * kLanes) {
    FloatVec first, second;
    duplicate(d, hn::Mul(hn::LoadU(d, dy), quarter), first, second);
    hn::StoreU(first, d, dx);
    hn::StoreU(first, d, dx + kLanes);
    hn::StoreU(second, d, dx + 2 * kLanes);
    hn::StoreU(second, d, dx + 3 * kLanes);
  }
  if (pair == count) return;
  const FloatVec last = hn::Mul(load_repeated(dy), quarter);
  hn::StoreU(last, d, dx);
  hn::StoreU(last, d, dx + kLanes);
}

// Rows 2 * pair and 2 * pair + 1 of dx for pairs [begin, end), counted through all planes.
void spread_halves(const Pool2dShape& s, const PoolTensors& t, float* /*own*/, size_t begin,
                   size_t end) {
  const float* const dy = t.dy;
  float* const dx = t.dx;
  if (fills_half_vectors(s) && s.height % 2 == 0) {
    return spread_half_vectors(dy + begin * (kLanes / 2), dx + begin * 2 * kLanes, end - begin);
  }
  if (fills_half_vectors(s)) {
    return for_each_pair_of_rows(s, begin, end, dx, [&](size_t window, size_t, float* top) {
      const FloatTag d;
      const FloatVec share = hn::Mul(load_repeated(dy + window), hn::Set(d, 0.25f));
      hn::StoreU(share, d, top);
      hn::StoreU(share, d, top + kLanes);
    });
  }
  const size_t ow = s.out_width();
  const auto vectors = [&](auto d) {
    using V = hn::Vec<decltype(d)>;
    const size_t lanes = hn::MaxLanes(d);
    const V quarter = hn::Set(d, 0.25f);
    for_each_pair_of_rows(s, begin, end, dx, [&](size_t window, size_t, float* top) {
      float* bottom = top + s.width;
      for (size_t i = 0; i < ow; i = next_start(i, lanes, ow)) {
        V lower, upper;
        duplicate(d, hn::Mul(hn::LoadU(d, dy + window + i), quarter), lower, upper);
        hn::StoreU(lower, d, top + 2 * i);
        hn::StoreU(upper, d, top + 2 * i + lanes);
        hn::StoreU(lower, d, bottom + 2 * i);
        hn::StoreU(upper, d, bottom + 2 * i + lanes);
      }
    });
  };
  with_lanes_for(ow, vectors, [&] {
    for_each_pair_of_rows(s, begin, end, dx, [&](size_t window, size_t, float* top) {
      for (size_t i = 0; i < 2 * ow; ++i) top[i] = top[s.width + i] = 0.25f * dy[window + i / 2];
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

// Any window: down the columns first, then along the row. Workspace: a row of sums, in lanes its
// phases.
template <bool kInLanes>
HWY_INLINE void average_rows(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin,
                             size_t end) {
  const Pool2dRows rows(s);
  const float* const x = t.x;
  float* sums = own;
  float* phases = sums + rows.row_floats();
  if constexpr (kInLanes) fill_floats(phases, rows.phase_floats(), 0.0f);
  const float scale = 1.0f / static_cast<float>(s.down.kernel * s.across.kernel);
  float* y = t.y + begin * rows.out_width;
  for_each_row(begin, end, s.out_height(), [&](size_t plane, size_t row) {
    const Range in = rows_of_window(s, row);
    const float* first = x + (plane * s.height + in.begin) * s.width;
    sum_rows(first, s.width, in.size(), s.width, 1.0f, sums);
    if constexpr (kInLanes) {
      average_along(rows, sums, phases, scale, y);
    } else {
      average_apart(rows, sums, scale, y);
    }
    y += rows.out_width;
  });
}

void average_in_lanes(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin,
                      size_t end) {
  average_rows<true>(s, t, own, begin, end);
}

void average_by_windows(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin,
                        size_t end) {
  average_rows<false>(s, t, own, begin, end);
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

// One row of dx.
void spread_row(const Pool2dRows& rows, const float* windows, float* dx) {
  const FloatTag d;
  size_t i = 0;
  if (rows.stride == 1) {
    for (; i + kLanes <= rows.width; i += kLanes) {
      hn::StoreU(sum_over_windows(d, rows, windows, i + rows.pad), d, dx + i);
    }
  } else if (rows.stride == 2) {
    for (; i + 2 * kLanes <= rows.width; i += 2 * kLanes) {
      const FloatVec even = sum_over_windows(d, rows, windows, i + rows.pad);
      const FloatVec odd = sum_over_windows(d, rows, windows, i + 1 + rows.pad);
      store_pairs(even, odd, d, dx + i);
    }
  }
  const hn::FixedTag<float, 1> d1;
  for (; i < rows.width; ++i) {
    dx[i] = hn::GetLane(sum_over_windows(d1, rows, windows, i + rows.pad));
  }
}

// Rows [begin, end) of dx, counted through all planes.
void spread_rows(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin, size_t end) {
  const float* const dy = t.dy;
  const Pool2dRows rows(s);
  fill_floats(own, rows.out_length(), 0.0f);
  float* windows = own + rows.lead;
  const float scale = 1.0f / static_cast<float>(s.down.kernel * s.across.kernel);
  float* dx = t.dx + begin * s.width;
  for_each_row(begin, end, s.height, [&](size_t plane, size_t row) {
    const Range out = windows_of_row(s, row);
    const float* first = dy + (plane * s.out_height() + out.begin) * rows.out_width;
    sum_rows(first, rows.out_width, out.size(), rows.out_width, scale, windows);
    spread_row(rows, windows, dx);
    dx += s.width;
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(average_halves);
HWY_EXPORT(average_in_lanes);
HWY_EXPORT(average_by_windows);
HWY_EXPORT(spread_halves);
HWY_EXPORT(spread_rows);

size_t sum_floats(const Pool2dShape& s) { return Pool2dRows(s).row_floats(); }
size_t sum_phase_floats(const Pool2dShape& s) {
  return sum_floats(s) + Pool2dRows(s).phase_floats();
}
size_t summed_windows_floats(const Pool2dShape& s) { return Pool2dRows(s).out_length(); }

constexpr PoolWay kAverages[] = {
    {.name = kPairsOfRows,
     .pays = side_by_side,
     .floats = no_floats,
     .units = rows_of_windows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(average_halves); }},
    {.name = kRowsInLanes,
     .pays = overlaps_in_lanes,
     .floats = sum_phase_floats,
     .units = rows_of_windows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(average_in_lanes); }},
    {.name = kRowsByWindows,
     .pays = always,
     .floats = sum_floats,
     .units = rows_of_windows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(average_by_windows); }},
};

constexpr PoolWay kAverageGradients[] = {
    {.name = kPairsOfRows,
     .pays = side_by_side,
     .floats = no_floats,
     .units = pairs_of_rows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(spread_halves); }},
    {.name = "windows summed down the columns, then along the row",
     .pays = always,
     .floats = summed_windows_floats,
     .units = rows_of_planes,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(spread_rows); }},
};

}  // namespace

constinit const PoolWays kAverageForwardWays = kAverages;
constinit const PoolWays kAverageBackwardWays = kAverageGradients;

}  // namespace nsop::kernels
#endif  // HWY_ONCE
