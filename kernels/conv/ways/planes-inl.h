// How convolutions of single planes and their gradients read a plane: a copy with its padding, or
// the plane itself by masked loads. Included once per target.
#if defined(NSOP_KERNELS_CONV_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_CONV_PLANES_INL_H_
#undef NSOP_KERNELS_CONV_PLANES_INL_H_
#else
#define NSOP_KERNELS_CONV_PLANES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/conv/ways/planes_work.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The weights or the sums of 3 x 3 taps and what else it takes for so many lines of output fit in
// 32 registers, and in 16.
constexpr size_t kTapRows = 3;
constexpr size_t kTapColumns = 3;
#if HWY_TARGET <= HWY_AVX3
constexpr size_t kLines = 4;
#else
constexpr size_t kLines = 2;
#endif

// Masks have registers of their own: planes need not be copied to be padded.
#undef NSOP_PLANES_IN_PLACE
#if HWY_TARGET <= HWY_AVX3
#define NSOP_PLANES_IN_PLACE 1
#else
#define NSOP_PLANES_IN_PLACE 0
#endif

// Up to a vector of a line, and zeros behind it.
HWY_INLINE FloatVec load_up_to(const float* from, size_t left) {
  const FloatTag d;
  return left >= kLanes ? hn::LoadU(d, from) : load_n(d, from, left);
}

// A line of `count` columns, and then zeros to a whole vector.
HWY_INLINE void copy_line(const float* from, size_t count, float* to) {
  for (size_t i = 0; i < count; i += kLanes) {
    hn::StoreU(load_up_to(from + i, count - i), FloatTag(), to + i);
  }
}

// The even and the odd columns of a line, and nothing behind either.
HWY_INLINE void copy_line_of_two(const float* from, size_t count, float* even, float* odd) {
#if HWY_TARGET == HWY_SCALAR
  for (size_t i = 0; i < count; ++i) (i % 2 == 0 ? even : odd)[i / 2] = from[i];
#else
  const FloatTag d;
  size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    const FloatVec low = hn::LoadU(d, from + i);
    const FloatVec high = hn::LoadU(d, from + i + kLanes);
    hn::StoreU(hn::ConcatEven(d, high, low), d, even + i / 2);
    hn::StoreU(hn::ConcatOdd(d, high, low), d, odd + i / 2);
  }
  const size_t left = count - i;
  if (left == 0) return;
  const FloatVec low = load_up_to(from + i, left);
  const FloatVec high = left > kLanes ? load_up_to(from + i + kLanes, left - kLanes) : hn::Zero(d);
  store_n(hn::ConcatEven(d, high, low), d, even + i / 2, (left + 1) / 2);
  store_n(hn::ConcatOdd(d, high, low), d, odd + i / 2, left / 2);
#endif
}

// Lines in ascending order: the zeros behind one are overwritten by the next.
inline void copy_plane(const PlaneWork& work, const float* x, float* copy) {
  const LinePlane& form = work.buffers.form;
  const PatchAxis& height = work.layer.axes[1];
  const PatchAxis& width = work.layer.axes[2];
  const auto stride = static_cast<ptrdiff_t>(width.stride);
  // Column c lies at position (c + pad) / stride of phase (c + pad) % stride.
  const auto place = [&](ptrdiff_t column) {
    const ptrdiff_t at = column + width.pad;
    return at % stride * static_cast<ptrdiff_t>(work.layer.phase()) + at / stride;
  };
  // A negative pad leaves the first columns out.
  const ptrdiff_t first = HWY_MAX(-width.pad, ptrdiff_t{0});
  const ptrdiff_t inside = HWY_MIN(static_cast<ptrdiff_t>(width.in),
                                   stride * static_cast<ptrdiff_t>(work.layer.phase()) - width.pad);
  if (inside <= first) return;
  const auto count = static_cast<size_t>(inside - first);
  for (size_t j = 0; j < form.rows; ++j) {
    const ptrdiff_t row = static_cast<ptrdiff_t>(j) - height.pad;
    if (row < 0 || row >= static_cast<ptrdiff_t>(height.in)) continue;
    const float* from = x + row * static_cast<ptrdiff_t>(width.in) + first;
    float* to = copy + j * form.line;
    if (stride == 1) {
      copy_line(from, count, to + place(first));
    } else {
      copy_line_of_two(from, count, to + place(first), to + place(first + 1));
    }
  }
}

// What lies under `kColumns` columns of taps, from their first row on: in a copy of the plane with
// its padding.
template <size_t kColumns>
class CopiedColumns {
 public:
  CopiedColumns(const PlaneWork& work, const float* copy, size_t row, size_t column)
      : row_step_(work.layer.axes[1].dilation * work.buffers.form.line),
        line_step_(work.layer.axes[1].stride * work.buffers.form.line),
        from_(copy + row * row_step_) {
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) offsets_[j] = work.offsets()[column + j];
  }
  HWY_INLINE void go_to(size_t line, size_t at) { row_ = from_ + line * line_step_ + at; }
  HWY_INLINE const float* row() const { return row_; }
  HWY_INLINE size_t row_step() const { return row_step_; }
  HWY_INLINE bool are_inside(size_t /*rows*/) const { return true; }
  template <bool kInside>
  HWY_INLINE void load(const float* row, size_t /*r*/, FloatVec (&x)[kColumns]) const {
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) x[j] = hn::LoadU(FloatTag(), row + offsets_[j]);
  }

 private:
  size_t row_step_, line_step_;  // floats
  const float* from_;
  const float* row_ = nullptr;
  size_t offsets_[kColumns];
};

#if NSOP_PLANES_IN_PLACE
static_assert(kLanes == 16 && kMasks >= kTapColumns && kMasks >= (kTapColumns + 1) / 2 * 2);

// Where vector j of a row begins, from the first column of taps on.
template <size_t kStride>
constexpr size_t first_column(size_t j) {
  return kStride == 1 ? j : j / 2 * 2 + j % 2 * kLanes;
}

// The same in the plane itself: lanes in the padding are zeros. A row is read by vectors at columns
// first, first + 1, ... of a stride of 1, and of a stride of 2 at first, first + kLanes, and with
// three columns two columns behind these, whose even and odd lanes are the columns of taps.
template <size_t kColumns, size_t kStride>
class MaskedColumns {
 public:
  MaskedColumns(const PlaneWork& work, const float* x)
      : stride_(static_cast<ptrdiff_t>(work.layer.axes[1].stride)),
        dilation_(static_cast<ptrdiff_t>(work.layer.axes[1].dilation)),
        height_(static_cast<ptrdiff_t>(work.layer.axes[1].in)),
        width_(static_cast<ptrdiff_t>(work.layer.axes[2].in)),
        pad_(work.layer.axes[1].pad),
        x_(x - work.layer.axes[2].pad),
        masks_(work.masks()) {}
  HWY_INLINE void go_to(size_t line, size_t at) {
    at_ = static_cast<ptrdiff_t>(line) * stride_ - pad_;
    row_ = x_ + at_ * width_ + static_cast<ptrdiff_t>(at * kStride);
    const uint64_t* masks = masks_ + at / kLanes * kMasks;
    HWY_UNROLL(4)
    for (size_t j = 0; j < kVectors; ++j) {
      inside_[j] = hn::LoadMaskBits(FloatTag(), reinterpret_cast<const uint8_t*>(masks + j));
    }
  }
  HWY_INLINE const float* row() const { return row_; }
  HWY_INLINE ptrdiff_t row_step() const { return dilation_ * width_; }
  // Are the next rows all in the plane?
  HWY_INLINE bool are_inside(size_t rows) const {
    return at_ >= 0 && at_ + static_cast<ptrdiff_t>(rows - 1) * dilation_ < height_;
  }
  template <bool kInside>
  HWY_INLINE void load(const float* row, size_t r, FloatVec (&x)[kColumns]) const {
    if constexpr (!kInside) {
      const ptrdiff_t at = at_ + static_cast<ptrdiff_t>(r) * dilation_;
      if (at < 0 || at >= height_) {
        HWY_UNROLL(3)
        for (size_t j = 0; j < kColumns; ++j) x[j] = hn::Zero(FloatTag());
        return;
      }
    }
    const FloatTag d;
    FloatVec read[kVectors];
    HWY_UNROLL(4)
    for (size_t j = 0; j < kVectors; ++j) {
      read[j] = hn::MaskedLoad(inside_[j], d, row + first_column<kStride>(j));
    }
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) {
      if constexpr (kStride == 1) {
        x[j] = read[j];
      } else {
        const FloatVec low = read[j / 2 * 2], high = read[j / 2 * 2 + 1];
        x[j] = j % 2 == 0 ? hn::ConcatEven(d, high, low) : hn::ConcatOdd(d, high, low);
      }
    }
  }

 private:
  static constexpr size_t kVectors = kStride == 1 ? kColumns : (kColumns + 1) / 2 * 2;

  ptrdiff_t stride_, dilation_, height_, width_, pad_;
  const float* x_;  // under the first column
  const uint64_t* masks_;
  ptrdiff_t at_ = 0;  // the first row
  const float* row_ = nullptr;
  hn::Mask<FloatTag> inside_[kVectors] = {};
};

inline void make_masks(const PlaneWork& work) {
  const FloatTag d;
  const PatchAxis& width = work.layer.axes[2];
  constexpr auto kAll = static_cast<ptrdiff_t>(kLanes);
  uint64_t* to = work.masks();
  for (size_t at = 0; at < width.out; at += kLanes) {
    for (size_t j = 0; j < kMasks; ++j, ++to) {
      const size_t column = width.stride == 1 ? first_column<1>(j) : first_column<2>(j);
      const ptrdiff_t first = static_cast<ptrdiff_t>(at * width.stride + column) - width.pad;
      const ptrdiff_t left = static_cast<ptrdiff_t>(width.in) - first;
      // Lanes behind the last output don't count either: an infinity there times 0 is no number.
      const auto outs = static_cast<ptrdiff_t>(width.stride * (width.out - at));
      const ptrdiff_t used = width.stride == 1 ? outs : outs - static_cast<ptrdiff_t>(j % 2) * kAll;
      const auto before = static_cast<size_t>(std::clamp<ptrdiff_t>(-first, 0, kAll));
      const auto end = static_cast<size_t>(std::clamp<ptrdiff_t>(HWY_MIN(left, used), 0, kAll));
      *to = 0;
      hn::StoreMaskBits(d, hn::AndNot(hn::FirstN(d, before), hn::FirstN(d, end)),
                        reinterpret_cast<uint8_t*>(to));
    }
  }
}
#endif

// Are the taps of a layer few enough for the registers, and are its columns of taps neighbours?
HWY_INLINE bool are_read_in_place(const LineLayer& l) {
#if NSOP_PLANES_IN_PLACE
  const PatchAxis& width = l.axes[2];
  return (width.dilation == 1 || width.kernel == 1) && l.axes[1].kernel <= kTapRows &&
         width.kernel <= kTapColumns;
#else
  (void)l;
  return false;
#endif
}

// Before the first plane.
inline void prepare_planes(const PlaneWork& work) {
#if NSOP_PLANES_IN_PLACE
  if (are_read_in_place(work.layer)) return make_masks(work);
#endif
  make_line_offsets(work.layer, work.buffers.form, work.offsets());
  std::fill_n(work.floats, 2 * work.buffers.copy, 0.0f);
}

// `kLines` lines of output, each kStep rows of taps behind the one before it, are computed together
// where they share rows.
constexpr size_t rows_of(size_t step, size_t lines, size_t taps) {
  return (lines - 1) * step + taps;
}

// Calls fn.operator()<kStep, kTogether>(line) for all lines.
template <class Fn>
HWY_INLINE void for_each_lines(const LineLayer& l, Fn&& fn) {
  const size_t lines = l.axes[1].out;
  size_t n = 0;
  const PatchAxis& height = l.axes[1];
  if (height.stride == height.dilation) {
    for (; n + kLines <= lines; n += kLines) fn.template operator()<1, kLines>(n);
  } else if (height.stride == 2 * height.dilation && height.kernel > 2) {
    for (; n + kLines <= lines; n += kLines) fn.template operator()<2, kLines>(n);
  }
  for (; n < lines; ++n) fn.template operator()<1, 1>(n);
}

// Calls use(plane(i) or its copy, i) for i < count. The copy of one is written before the one
// before it is used: what was just written can't be read at once where two stores make up a load.
template <class Plane, class Use>
HWY_INLINE void for_each_plane(const PlaneWork& work, size_t count, Plane&& plane, Use&& use) {
  if (are_read_in_place(work.layer)) {
    for (size_t i = 0; i < count; ++i) use(plane(i), i);
    return;
  }
  if (count > 0) copy_plane(work, plane(0), work.copy(0));
  for (size_t i = 0; i < count; ++i) {
    if (i + 1 < count) copy_plane(work, plane(i + 1), work.copy(i + 1));
    use(work.copy(i), i);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
