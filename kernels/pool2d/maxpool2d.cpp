// The maxima of pool2d.h. The rows of its ways are declared in way.h.
#include <limits>

#include "kernels/pool2d/way.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool2d/maxpool2d.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/pool2d/maxpool2d-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Windows of 2x2 side by side. x [planes, height, width] -> window rows [begin, end) of y and
// index. 6 bytes and 1 flop per element of x.
void max_halves(const Pool2dShape& s, const PoolTensors& t, float* /*own*/, size_t begin,
                size_t end) {
  const float* const x = t.x;
  float* y = t.y;
  float* index = t.new_index;
  if (fills_half_vectors(s) && s.height % 2 == 0) {
    return max_half_vectors(s, x, y, index, begin, end);
  }
  const size_t ow = s.out_width();
  y += begin * ow;
  index += begin * ow;
  const auto for_each = [&](const auto& pick) {
    for_each_row(begin, end, s.out_height(), [&](size_t plane, size_t row) {
      const size_t corner = 2 * row * s.width;
      pick(x + plane * s.height * s.width + corner, static_cast<float>(corner), y, index);
      y += ow;
      index += ow;
    });
  };
  const auto vectors = [&](auto d) {
    using V = hn::Vec<decltype(d)>;
    const V below = hn::Set(d, static_cast<float>(s.width));
    const V evens = multiples(d, 0.0f, 2.0f);
    for_each([&](const float* top, float corner, float* to, float* at) {
      for (size_t i = 0; i < ow; i = next_start(i, hn::MaxLanes(d), ow)) {
        V even0, odd0, even1, odd1;
        load_pairs(d, top + 2 * i, even0, odd0);
        load_pairs(d, top + s.width + 2 * i, even1, odd1);
        const Winner<V> best = best_of_four(d, even0, odd0, even1, odd1, below);
        hn::StoreU(best.value, d, to + i);
        const V first = hn::Add(evens, hn::Set(d, corner + static_cast<float>(2 * i)));
        hn::StoreU(hn::Add(first, best.at), d, at + i);
      }
    });
  };
  with_lanes_for(ow, vectors, [&] {
    const hn::FixedTag<float, 1> d;
    using V = hn::Vec<decltype(d)>;
    for_each([&](const float* top, float corner, float* to, float* at) {
      for (size_t i = 0; i < ow; ++i) {
        Winner<V> winner{hn::Set(d, -kInfinity), hn::Set(d, kInfinity)};
        for (const size_t tap : {2 * i, 2 * i + 1, s.width + 2 * i, s.width + 2 * i + 1}) {
          const V place = hn::Set(d, corner + static_cast<float>(tap));
          winner.challenge(d, hn::LoadU(d, top + tap), place);
        }
        hn::StoreU(winner.value, d, to + i);
        hn::StoreU(winner.at, d, at + i);
      }
    });
  });
}

// Where one row of windows fills half a vector each, and nothing lies between them: both rows of dx
// of two rows of windows at once.
void place_half_vectors(const Pool2dShape& s, const float* index, const float* dy, float* dx,
                        size_t begin, size_t end) {
  const FloatTag d;
  constexpr size_t kHalf = kLanes / 2;
  const FloatVec top = multiples(d, 0.0f, 1.0f);
  const FloatVec bottom = hn::Add(top, hn::Set(d, static_cast<float>(kLanes)));
  const size_t height = s.out_height();
  size_t row_of_plane = begin % height;
  const auto place = [&](FloatVec value, FloatVec at, float* to) HWY_ATTR {
    const FloatVec corner = hn::Set(d, static_cast<float>(row_of_plane * 2 * kLanes));
    row_of_plane = row_of_plane + 1 == height ? 0 : row_of_plane + 1;
    const FloatVec in_row = hn::Sub(at, corner);
    hn::StoreU(hn::IfThenElseZero(hn::Eq(in_row, top), value), d, to);
    hn::StoreU(hn::IfThenElseZero(hn::Eq(in_row, bottom), value), d, to + kLanes);
  };
  size_t row = begin;
  for (; row + 2 <= end; row += 2) {
    FloatVec values[2];
    FloatVec places[2];
    duplicate(d, hn::LoadU(d, dy + row * kHalf), values[0], values[1]);
    duplicate(d, hn::LoadU(d, index + row * kHalf), places[0], places[1]);
    place(values[0], places[0], dx + row * 2 * kLanes);
    place(values[1], places[1], dx + (row + 1) * 2 * kLanes);
  }
  if (row < end) {
    place(load_repeated(dy + row * kHalf), load_repeated(index + row * kHalf),
          dx + row * 2 * kLanes);
  }
}

// Rows 2 * pair and 2 * pair + 1 of dx for pairs [begin, end), counted through all planes. 6 bytes
// per element of dx.
void place_halves(const Pool2dShape& s, const PoolTensors& t, float* /*own*/, size_t begin,
                  size_t end) {
  const float* const index = t.index;
  const float* const dy = t.dy;
  float* const dx = t.dx;
  if (fills_half_vectors(s) && s.height % 2 == 0) {
    return place_half_vectors(s, index, dy, dx, begin, end);
  }
  const size_t ow = s.out_width();
  const auto vectors = [&](auto d) {
    using V = hn::Vec<decltype(d)>;
    const size_t lanes = hn::MaxLanes(d);
    const V below = hn::Set(d, static_cast<float>(s.width));
    const V tops[2] = {multiples(d, 0.0f, 1.0f), multiples(d, static_cast<float>(lanes), 1.0f)};
    const V bottoms[2] = {hn::Add(tops[0], below), hn::Add(tops[1], below)};
    for_each_pair_of_rows(s, begin, end, dx, [&](size_t window, size_t corner, float* top) {
      for (size_t i = 0; i < ow; i = next_start(i, lanes, ow)) {
        V values[2];
        V places[2];
        const V start = hn::Set(d, static_cast<float>(corner + 2 * i));
        duplicate(d, hn::LoadU(d, dy + window + i), values[0], values[1]);
        duplicate(d, hn::Sub(hn::LoadU(d, index + window + i), start), places[0], places[1]);
        HWY_UNROLL(2)
        for (size_t half = 0; half < 2; ++half) {
          float* to = top + 2 * i + half * lanes;
          hn::StoreU(hn::IfThenElseZero(hn::Eq(places[half], tops[half]), values[half]), d, to);
          hn::StoreU(hn::IfThenElseZero(hn::Eq(places[half], bottoms[half]), values[half]), d,
                     to + s.width);
        }
      }
    });
  };
  with_lanes_for(ow, vectors, [&] {
    for_each_pair_of_rows(s, begin, end, dx, [&](size_t window, size_t corner, float* top) {
      for (size_t i = 0; i < 2 * ow; ++i) top[i] = top[s.width + i] = 0.0f;
      for (size_t i = 0; i < ow; ++i) {
        top[static_cast<size_t>(index[window + i]) - corner] = dy[window + i];
      }
    });
  });
}

// The winners along a row of windows, of the phases of those down its columns.
void max_along(const Pool2dRows& rows, const float* values, const float* at, float* y,
               float* index) {
  const FloatTag d;
  for (size_t i = 0; i < rows.out_width; i += kLanes) {
    Winner<FloatVec> winner{hn::Set(d, -kInfinity), hn::Set(d, kInfinity)};
    for (size_t phase = 0; phase < HWY_MIN(rows.stride, rows.kernel); ++phase) {
      size_t from = phase * rows.length + i;
      for (size_t k = phase; k < rows.kernel; k += rows.stride, ++from) {
        winner.challenge(d, hn::LoadU(d, values + from), hn::LoadU(d, at + from));
      }
    }
    const size_t left = HWY_MIN(kLanes, rows.out_width - i);
    store_n(winner.value, d, y + i, left);
    store_n(winner.at, d, index + i, left);
  }
}

// The same, window by window, of the columns themselves.
void max_apart(const Pool2dRows& rows, const float* values, const float* at, float* y,
               float* index) {
  const hn::FixedTag<float, 1> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t i = 0; i < rows.out_width; ++i) {
    const Range columns = rows.columns_of_window(i);
    Winner<V> winner{hn::Set(d, -kInfinity), hn::Set(d, kInfinity)};
    for (size_t c = columns.begin; c < columns.end; ++c) {
      winner.challenge(d, hn::LoadU(d, values + c), hn::LoadU(d, at + c));
    }
    hn::StoreU(winner.value, d, y + i);
    hn::StoreU(winner.at, d, index + i);
  }
}

// Any window: down the columns first, then along the row. Workspace: the winners of a row and their
// indices, then in lanes the phases of both.
template <bool kInLanes>
HWY_INLINE void max_rows(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin,
                         size_t end) {
  const Pool2dRows rows(s);
  const float* const x = t.x;
  const size_t phase_floats = kInLanes ? rows.phase_floats() : 0;
  float* values = own;
  float* at = values + rows.row_floats();
  float* value_phases = at + rows.row_floats();
  float* at_phases = value_phases + phase_floats;
  fill_floats(value_phases, phase_floats, -kInfinity);
  fill_floats(at_phases, phase_floats, kInfinity);
  float* y = t.y + begin * rows.out_width;
  float* index = t.new_index + begin * rows.out_width;
  for_each_row(begin, end, s.out_height(), [&](size_t plane, size_t row) {
    max_down_columns(x + plane * s.height * s.width, s.width, rows_of_window(s, row), values, at);
    if constexpr (kInLanes) {
      split_phases(rows, values, value_phases);
      split_phases(rows, at, at_phases);
      max_along(rows, value_phases, at_phases, y, index);
    } else {
      max_apart(rows, values, at, y, index);
    }
    y += rows.out_width;
    index += rows.out_width;
  });
}

void max_in_lanes(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin,
                  size_t end) {
  max_rows<true>(s, t, own, begin, end);
}

void max_by_windows(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin,
                    size_t end) {
  max_rows<false>(s, t, own, begin, end);
}

// Rows of windows of one plane, kept with room on both sides while rows of dx need them.
struct GatheredRows {
  float* workspace;
  size_t length, lead, slots;
  float* index(size_t row) const { return workspace + row % slots * 2 * length + lead; }
  float* dy(size_t row) const { return index(row) + length; }
};

// The sum of dy over the windows `out` with index `at`, for every stride-th padded column from
// `column`.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gather(D d, const Pool2dRows& rows, const GatheredRows& kept, Range out, V at,
                    size_t column) {
  V sum = hn::Zero(d);
  for (size_t row = out.begin; row < out.end; ++row) {
    size_t window = column / rows.stride;
    for (size_t k = column % rows.stride; k < rows.kernel; k += rows.stride, --window) {
      const auto here = hn::Eq(hn::LoadU(d, kept.index(row) + window), at);
      sum = hn::Add(sum, hn::IfThenElseZero(here, hn::LoadU(d, kept.dy(row) + window)));
    }
  }
  return sum;
}

// One row of dx, the first of its elements having index `first`.
void gather_row(const Pool2dRows& rows, const GatheredRows& kept, Range out, size_t first,
                float* dx) {
  const FloatTag d;
  size_t i = 0;
  const auto sum_at = [&](auto tag, size_t x, float step) {
    const auto at = multiples(tag, static_cast<float>(first + x), step);
    return gather(tag, rows, kept, out, at, x + rows.pad);
  };
  if (rows.stride == 1) {
    for (; i + kLanes <= rows.width; i += kLanes) hn::StoreU(sum_at(d, i, 1.0f), d, dx + i);
  } else {
    for (; i + 2 * kLanes <= rows.width; i += 2 * kLanes) {
      store_pairs(sum_at(d, i, 2.0f), sum_at(d, i + 1, 2.0f), d, dx + i);
    }
  }
  for (; i < rows.width; ++i) dx[i] = hn::GetLane(sum_at(hn::FixedTag<float, 1>(), i, 1.0f));
}

// Rows [begin, end) of dx, counted through all planes. Workspace: GatheredRows.
void gather_rows(const Pool2dShape& s, const PoolTensors& t, float* own, size_t begin, size_t end) {
  const float* const index = t.index;
  const float* const dy = t.dy;
  const Pool2dRows rows(s);
  const GatheredRows kept{own, rows.out_length(), rows.lead, rows.gathered_rows};
  fill_floats(own, 2 * rows.gathered_rows * rows.out_length(), -1.0f);  // no index
  size_t copied = 0;  // rows of the plane before this one are in
  float* dx = t.dx + begin * s.width;
  for_each_row(begin, end, s.height, [&](size_t plane, size_t row) {
    if (row == 0) copied = 0;
    const Range out = windows_of_row(s, row);
    const size_t from = plane * s.out_height() * rows.out_width;
    for (size_t o = HWY_MAX(copied, out.begin); o < out.end; ++o) {
      copy_floats(index + from + o * rows.out_width, kept.index(o), rows.out_width);
      copy_floats(dy + from + o * rows.out_width, kept.dy(o), rows.out_width);
    }
    copied = HWY_MAX(copied, out.end);
    gather_row(rows, kept, out, row * s.width, dx);
    dx += s.width;
  });
}

// Planes [begin, end) of dx.
void scatter(const Pool2dShape& s, const PoolTensors& t, float* /*own*/, size_t begin, size_t end) {
  scatter_planes(s.height * s.width, s.out_height() * s.out_width(), t.index, t.dy, t.dx, begin,
                 end);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(max_halves);
HWY_EXPORT(max_in_lanes);
HWY_EXPORT(max_by_windows);
HWY_EXPORT(place_halves);
HWY_EXPORT(gather_rows);
HWY_EXPORT(scatter);

// Two rows, and their indices.
size_t max_row_floats(const Pool2dShape& s) { return 2 * Pool2dRows(s).row_floats(); }
size_t max_phase_floats(const Pool2dShape& s) {
  return max_row_floats(s) + 2 * Pool2dRows(s).phase_floats();
}
size_t gathered_floats(const Pool2dShape& s) {
  const Pool2dRows rows(s);
  return 2 * rows.gathered_rows * rows.out_length();
}

// Collecting is faster than scattering while the windows that an element is in are few.
bool gathering_pays(const Pool2dShape& s) {
  return overlaps_in_lanes(s) && s.across.kernel <= 3 * s.across.stride;
}

constexpr PoolWay kMaxima[] = {
    {.name = kPairsOfRows,
     .pays = side_by_side,
     .floats = no_floats,
     .units = rows_of_windows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(max_halves); }},
    {.name = kRowsInLanes,
     .pays = overlaps_in_lanes,
     .floats = max_phase_floats,
     .units = rows_of_windows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(max_in_lanes); }},
    {.name = kRowsByWindows,
     .pays = always,
     .floats = max_row_floats,
     .units = rows_of_windows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(max_by_windows); }},
};

constexpr PoolWay kMaxGradients[] = {
    {.name = kPairsOfRows,
     .pays = side_by_side,
     .floats = no_floats,
     .units = pairs_of_rows,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(place_halves); }},
    {.name = "dy gathered in lanes",
     .pays = gathering_pays,
     .floats = gathered_floats,
     .units = rows_of_planes,
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(gather_rows); }},
    {.name = "dy added at the indices",
     .pays = always,
     .floats = no_floats,
     .units = [](const Pool2dShape& s) { return s.planes; },
     .kernel = []() -> PoolKernel { return HWY_DYNAMIC_DISPATCH(scatter); }},
};

}  // namespace

constinit const PoolWays kMaxForwardWays = kMaxima;
constinit const PoolWays kMaxBackwardWays = kMaxGradients;

}  // namespace nsop::kernels
#endif  // HWY_ONCE
