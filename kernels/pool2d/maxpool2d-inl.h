// What max pools over any windows share: candidates compared in lanes, gradients scattered.
// Included once per target.
#if defined(NSOP_KERNELS_MAXPOOL2D_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_MAXPOOL2D_INL_H_
#undef NSOP_KERNELS_MAXPOOL2D_INL_H_
#else
#define NSOP_KERNELS_MAXPOOL2D_INL_H_
#endif

#include <cassert>

#include "kernels/pool2d/pool2d-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The largest values so far and where they are.
template <class V>
struct Winner {
  V value;
  V at;

  // Of candidates that come later: a larger one wins, or the first NaN.
  template <class D>
  HWY_INLINE void challenge_later(D d, V v, V v_at) {
#if HWY_TARGET == HWY_SCALAR
    const bool wins = !(v.raw <= value.raw) && value.raw == value.raw;
    value.raw = wins ? v.raw : value.raw;
    at.raw = wins ? v_at.raw : at.raw;
    (void)d;
#else
    (void)d;
    const auto wins = hn::AndNot(hn::Le(v, value), hn::Eq(value, value));
    value = hn::IfThenElse(wins, v, value);
    at = hn::IfThenElse(wins, v_at, at);
#endif
  }

  // Of candidates in any order: of equal ones, and of NaNs, the one with the lower index wins.
  template <class D>
  HWY_INLINE void challenge(D d, V v, V v_at) {
    (void)d;
    const auto lower = hn::Lt(v_at, at);
    const auto wins_tie = hn::And(lower, hn::Eq(v, value));
    const auto not_nan = hn::Eq(v, v);
    const auto wins_nan = hn::AndNot(not_nan, hn::Or(lower, hn::Eq(value, value)));
    const auto wins = hn::Or(hn::Gt(v, value), hn::Or(wins_tie, wins_nan));
    value = hn::IfThenElse(wins, v, value);
    at = hn::IfThenElse(wins, v_at, at);
  }
};

// value[i], at[i] = the winner of column i of the rows of a plane [*, width], and its place there;
// a vector's room past the end is overwritten.
inline void max_down_columns(const float* plane, size_t width, Range rows, float* value,
                             float* at) {
  const FloatTag d;
  const FloatVec below = hn::Set(d, static_cast<float>(width));
  for (size_t i = 0; i < width; i += kLanes) {
    const size_t left = HWY_MIN(kLanes, width - i);
    const auto load = [&](size_t row) {
      const float* from = plane + row * width + i;
      return left == kLanes ? hn::LoadU(d, from) : load_n(d, from, left);
    };
    FloatVec place = multiples(d, static_cast<float>(rows.begin * width + i), 1.0f);
    Winner<FloatVec> best{load(rows.begin), place};
    for (size_t row = rows.begin + 1; row < rows.end; ++row) {
      place = hn::Add(place, below);
      best.challenge_later(d, load(row), place);
    }
    hn::StoreU(best.value, d, value + i);
    hn::StoreU(best.at, d, at + i);
  }
}

constexpr size_t kZeroedFloats = size_t{1} << 14;  // 64 KB, a part of every level-2 cache

// Planes [begin, end) of dx, `pixels` each: dy added up where the index of its window says. 4 bytes
// per element of dx.
inline void scatter_planes(size_t pixels, size_t windows, const float* index, const float* dy,
                           float* dx, size_t begin, size_t end) {
  // Planes of zeros first, some at once: what was just written is read late.
  const size_t together = HWY_MAX(size_t{1}, kZeroedFloats / HWY_MAX(pixels, size_t{1}));
  for (size_t first = begin; first < end; first += together) {
    const size_t last = HWY_MIN(first + together, end);
    fill_floats(dx + first * pixels, (last - first) * pixels, 0.0f);
    for (size_t plane = first; plane < last; ++plane) {
      float* to = dx + plane * pixels;
      for (size_t i = plane * windows; i < (plane + 1) * windows; ++i) {
        assert(index[i] >= 0 && static_cast<size_t>(index[i]) < pixels);
        to[static_cast<size_t>(index[i])] += dy[i];
      }
    }
  }
}

// The largest of the windows of 2x2 whose top left, top right, ... pixels these are, and where in
// the window of a row of `below` pixels it is.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Winner<V> best_of_four(D d, V even0, V odd0, V even1, V odd1, V below) {
  const V one = hn::Set(d, 1.0f);
  Winner<V> upper{even0, hn::Zero(d)};
  Winner<V> lower{even1, below};
  upper.challenge_later(d, odd0, one);
  lower.challenge_later(d, odd1, hn::Add(below, one));
  upper.challenge_later(d, lower.value, lower.at);
  return upper;
}

// Rows of windows that fill half a vector each, and nothing between them: two at once.
inline void max_half_vectors(const Pool2dShape& s, const float* x, float* y, float* index,
                             size_t begin, size_t end) {
#if HWY_TARGET != HWY_SCALAR
  const FloatTag d;
  constexpr size_t kHalf = kLanes / 2;
  const FloatVec below = hn::Set(d, static_cast<float>(kLanes));
  const auto half = hn::FirstN(d, kHalf);
  const FloatVec evens = hn::IfThenElse(half, multiples(d, 0.0f, 2.0f),
                                        multiples(d, -static_cast<float>(kLanes), 2.0f));
  const size_t height = s.out_height();
  size_t row_of_plane = begin % height;
  const auto next_corner = [&] {
    const auto corner = static_cast<float>(row_of_plane * 2 * kLanes);
    row_of_plane = row_of_plane + 1 == height ? 0 : row_of_plane + 1;
    return hn::Set(d, corner);
  };
  for (size_t row = begin; row < end; row += 2) {
    const bool two = row + 1 < end;
    const float* first = x + row * 2 * kLanes;
    const float* second = two ? first + 2 * kLanes : first;
    const FloatVec top0 = hn::LoadU(d, first), bottom0 = hn::LoadU(d, first + kLanes);
    const FloatVec top1 = hn::LoadU(d, second), bottom1 = hn::LoadU(d, second + kLanes);
    const Winner<FloatVec> best = best_of_four(
        d, hn::ConcatEven(d, top1, top0), hn::ConcatOdd(d, top1, top0),
        hn::ConcatEven(d, bottom1, bottom0), hn::ConcatOdd(d, bottom1, bottom0), below);
    const FloatVec corner0 = next_corner();
    const FloatVec corners = hn::IfThenElse(half, corner0, next_corner());
    const FloatVec at = hn::Add(hn::Add(evens, corners), best.at);
    const size_t to = row * kHalf;
    if (two) {
      hn::StoreU(best.value, d, y + to);
      hn::StoreU(at, d, index + to);
    } else {
      store_n(best.value, d, y + to, kHalf);
      store_n(at, d, index + to, kHalf);
    }
  }
#else
  (void)s, (void)x, (void)y, (void)index, (void)begin, (void)end;
#endif
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
