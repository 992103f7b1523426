// Rows of pooling windows on vectors. Included once per target.
#if defined(NSOP_KERNELS_POOL2D_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_POOL2D_INL_H_
#undef NSOP_KERNELS_POOL2D_INL_H_
#else
#define NSOP_KERNELS_POOL2D_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "kernels/pool2d/window_rows.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The even and the odd ones of 2 * lanes consecutive floats.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void load_pairs(D d, const float* p, V& even, V& odd) {
#if HWY_TARGET == HWY_SCALAR
  even = hn::LoadU(d, p);
  odd = hn::LoadU(d, p + 1);
#else
  hn::LoadInterleaved2(d, p, even, odd);
#endif
}

// Sums of neighbours: lo0 + lo1, lo2 + lo3, ..., then hi0 + hi1, ... A single lane: lo + hi.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V add_neighbours(D d, V hi, V lo) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return hn::Add(lo, hi);
#else
  return hn::Add(hn::ConcatEven(d, hi, lo), hn::ConcatOdd(d, hi, lo));
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void store_pairs(V even, V odd, D d, float* p) {
#if HWY_TARGET == HWY_SCALAR
  hn::StoreU(even, d, p);
  hn::StoreU(odd, d, p + 1);
#else
  hn::StoreInterleaved2(even, odd, d, p);
#endif
}

// Twice as many lanes, each one two times: lower is v0 v0 v1 v1 ..., upper goes on from there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void duplicate(D d, V v, V& lower, V& upper) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  lower = upper = v;
#else
  constexpr size_t kN = hn::MaxLanes(D());
  if constexpr (kN * sizeof(float) <= 16) {
    lower = hn::InterleaveLower(d, v, v);
    upper = hn::InterleaveUpper(d, v, v);
  } else {
    const hn::RebindToSigned<D> di;
    const auto half = hn::ShiftRight<1>(hn::Iota(di, 0));
    const auto upper_half = hn::Add(half, hn::Set(di, static_cast<int>(kN / 2)));
    lower = hn::TableLookupLanes(v, hn::IndicesFromVec(d, half));
    upper = hn::TableLookupLanes(v, hn::IndicesFromVec(d, upper_half));
  }
#endif
}

// Do two rows of windows of 2x2 side by side fill a vector?
HWY_INLINE bool fills_half_vectors(const Pool2dShape& s) { return kLanes > 1 && s.width == kLanes; }

// The half vector at p, each value two times.
HWY_INLINE FloatVec load_repeated(const float* p) {
  const FloatTag d;
#if HWY_TARGET == HWY_SCALAR
  return hn::LoadU(d, p);
#else
  const hn::RebindToSigned<FloatTag> di;
  const auto half = hn::ShiftRight<1>(hn::Iota(di, 0));
  return hn::TableLookupLanes(load_n(d, p, kLanes / 2), hn::IndicesFromVec(d, half));
#endif
}

// first, first + step, first + 2 * step, ...
template <class D>
HWY_INLINE hn::Vec<D> multiples(D d, float first, float step) {
  const hn::RebindToSigned<D> di;
  return hn::MulAdd(hn::ConvertTo(d, hn::Iota(di, 0)), hn::Set(d, step), hn::Set(d, first));
}

// Calls row(FixedTag<float, N>) with the widest vectors of which a row of `columns` fills one, or
// plain() when that would be less than four lanes.
template <size_t kN = kLanes, class RowFn, class PlainFn>
HWY_INLINE void with_lanes_for(size_t columns, const RowFn& row, const PlainFn& plain) {
  if constexpr (kN >= 4) {
    if (columns >= kN) return row(hn::FixedTag<float, kN>());
    with_lanes_for<kN / 2>(columns, row, plain);
  } else {
    plain();
  }
}

// The start of the vector after the one at i: the last one overlaps that before it. Past the end
// when i was the last.
HWY_INLINE size_t next_start(size_t i, size_t lanes, size_t columns) {
  return i + lanes == columns ? columns : HWY_MIN(i + lanes, columns - lanes);
}

// A row to its phases.
inline void split_phases(const Pool2dRows& rows, const float* row, float* phases) {
  if (rows.stride == 1) return copy_floats(row, phases + rows.pad, rows.width);
  const auto place = [&](size_t x) {
    const size_t column = x + rows.pad;
    return phases + column % rows.stride * rows.length + column / rows.stride;
  };
  size_t x = 0;
  if (rows.stride == 2) {
    const FloatTag d;
    float* even_to = place(0);
    float* odd_to = place(1);
    for (; x + 2 * kLanes <= rows.width; x += 2 * kLanes) {
      FloatVec even, odd;
      load_pairs(d, row + x, even, odd);
      hn::StoreU(even, d, even_to + x / 2);
      hn::StoreU(odd, d, odd_to + x / 2);
    }
  }
  for (; x < rows.width; ++x) *place(x) = row[x];
}

inline void fill_floats(float* p, size_t count, float value) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::Set(d, value), d, p + i);
  for (; i < count; ++i) p[i] = value;
}

// Windows of 2x2 side by side: calls fill(first window, corner, top row of dx) for the pairs of
// rows [begin, end), counted through all planes; the corner is the index of the row in its plane.
// The last row of an odd height and the last column of an odd width become zeros.
template <class Fill>
HWY_INLINE void for_each_pair_of_rows(const Pool2dShape& s, size_t begin, size_t end, float* dx,
                                      const Fill& fill) {
  const size_t ow = s.out_width();
  const bool odd_width = s.width % 2 == 1;
  for_each_row(begin, end, (s.height + 1) / 2, [&](size_t plane, size_t pair) {
    const size_t corner = 2 * pair * s.width;
    float* top = dx + plane * s.height * s.width + corner;
    if (2 * pair + 1 == s.height) return fill_floats(top, s.width, 0.0f);
    fill((plane * s.out_height() + pair) * ow, corner, top);
    if (odd_width) top[s.width - 1] = top[2 * s.width - 1] = 0.0f;
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
