// Normalisation of rows of a few vectors. Several rows go side by side: their sums of lanes are
// taken together, and what one waits for passes behind the work on the others. Included once per
// target.
#if defined(NSOP_KERNELS_SHORT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_SHORT_ROWS_INL_H_
#undef NSOP_KERNELS_SHORT_ROWS_INL_H_
#else
#define NSOP_KERNELS_SHORT_ROWS_INL_H_
#endif

#include <type_traits>

#include "kernels/math/sums-inl.h"
#include "kernels/norm/norm.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Rows of `length` floats in kV vectors, the last maybe in part.
template <size_t kV>
class ShortRow {
 public:
  explicit ShortRow(size_t length) : left_(length - (kV - 1) * kLanes) {}

  // Zeros behind the end of the row.
  HWY_INLINE FloatVec load(const float* row, size_t v) const {
    const FloatTag d;
    return is_whole(v) ? hn::LoadU(d, row + v * kLanes) : load_n(d, row + v * kLanes, left_);
  }
  HWY_INLINE void store(FloatVec value, float* row, size_t v) const {
    const FloatTag d;
    if (is_whole(v)) return hn::StoreU(value, d, row + v * kLanes);
    store_n(value, d, row + v * kLanes, left_);
  }
  HWY_INLINE FloatVec zero_behind(FloatVec value, size_t v) const {
    return is_whole(v) ? value : hn::IfThenElseZero(hn::FirstN(FloatTag(), left_), value);
  }

 private:
  HWY_INLINE bool is_whole(size_t v) const { return v + 1 < kV || left_ == kLanes; }

  size_t left_;  // elements of the last vector
};

// result[i] = map(d, i) for the kCount values, as many at a time as a vector of tag d has lanes.
template <size_t kCount, class Map>
HWY_INLINE void map_few(float* result, const Map& map) {
  const hn::CappedTag<float, kCount> d;
  for (size_t i = 0; i < kCount; i += hn::Lanes(d)) hn::StoreU(map(d, i), d, result + i);
}

// The forward pass. beta and mean are null where the shape isn't centred.
template <size_t kV>
class ShortForward {
 public:
  ShortForward(const NormRows& s, const float* x, const float* gamma, const float* beta, float* y,
               float* mean, float* inv_std)
      : s_(s),
        form_(s.length),
        share_(1.0f / static_cast<float>(s.length)),
        x_(x),
        y_(y),
        mean_(mean),
        inv_std_(inv_std) {
    for (size_t v = 0; v < kV; ++v) {
      scale_[v] = form_.load(gamma, v);
      shift_[v] = beta == nullptr ? hn::Zero(FloatTag()) : form_.load(beta, v);
    }
  }

  // Rows [first, first + kRows). 8 bytes and 8 flops per element.
  template <size_t kRows>
  HWY_INLINE void rows(size_t first) const {
    const FloatTag d;
    FloatVec off[kRows][kV];
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kV; ++v) off[r][v] = form_.load(x_ + (first + r) * s_.length, v);
    }
    if (s_.centred) centre<kRows>(first, off);
    deviations<kRows>(first, off);
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      const FloatVec inv = hn::Set(d, inv_std_[first + r]);
      HWY_UNROLL(4)
      for (size_t v = 0; v < kV; ++v) {
        const FloatVec result = hn::MulAdd(hn::Mul(off[r][v], inv), scale_[v], shift_[v]);
        form_.store(result, y_ + (first + r) * s_.length, v);
      }
    }
  }

 private:
  // Means of the rows; subtracts them. They are summed from the first element of each, so that a
  // row of equal values, however large, has no deviation from its mean.
  template <size_t kRows>
  HWY_INLINE void centre(size_t first, FloatVec (&off)[kRows][kV]) const {
    const FloatTag d;
    FloatVec sum[kRows];
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      subtract(hn::Set(d, x_[(first + r) * s_.length]), off[r]);
      sum[r] = off[r][0];
      HWY_UNROLL(4)
      for (size_t v = 1; v < kV; ++v) sum[r] = hn::Add(sum[r], off[r][v]);
    }
    float* mean = mean_ + first;
    store_sums(sum, mean);
    map_few<kRows>(mean, [&](auto few, size_t i) {
      return hn::Mul(hn::LoadU(few, mean + i), hn::Set(few, share_));
    });
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      subtract(hn::Set(d, mean[r]), off[r]);
      mean[r] += x_[(first + r) * s_.length];
    }
  }

  HWY_INLINE void subtract(FloatVec value, FloatVec (&row)[kV]) const {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kV; ++v) row[v] = form_.zero_behind(hn::Sub(row[v], value), v);
  }

  // inv_std of the rows.
  template <size_t kRows>
  HWY_INLINE void deviations(size_t first, const FloatVec (&off)[kRows][kV]) const {
    FloatVec squares[kRows];
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      squares[r] = hn::Mul(off[r][0], off[r][0]);
      HWY_UNROLL(4)
      for (size_t v = 1; v < kV; ++v) squares[r] = hn::MulAdd(off[r][v], off[r][v], squares[r]);
    }
    float* inv = inv_std_ + first;
    store_sums(squares, inv);
    map_few<kRows>(inv, [&](auto few, size_t i) {
      const auto epsilon = hn::Set(few, kNormEpsilon);
      const auto variance = hn::MulAdd(hn::LoadU(few, inv + i), hn::Set(few, share_), epsilon);
      return hn::Div(hn::Set(few, 1.0f), hn::Sqrt(variance));
    });
  }

  NormRows s_;
  ShortRow<kV> form_;
  float share_;
  const float* x_;
  float* y_;
  float* mean_;
  float* inv_std_;
  FloatVec scale_[kV];
  FloatVec shift_[kV];
};

// The backward pass. mean and dbeta are null where the shape isn't centred.
template <size_t kV>
class ShortBackward {
 public:
  ShortBackward(const NormRows& s, const float* x, const float* gamma, const float* mean,
                const float* inv_std, const float* dy, float* dx)
      : s_(s),
        form_(s.length),
        share_(1.0f / static_cast<float>(s.length)),
        x_(x),
        mean_(mean),
        inv_std_(inv_std),
        dy_(dy),
        dx_(dx) {
    for (size_t v = 0; v < kV; ++v) {
      scale_[v] = form_.load(gamma, v);
      dscale_[v] = dshift_[v] = hn::Zero(FloatTag());
    }
  }

  // Rows [first, first + kRows) of dx; adds what they have to say to dgamma and dbeta. 12 bytes and
  // 14 flops per element.
  template <size_t kRows>
  HWY_INLINE void rows(size_t first) {
    const FloatTag d;
    FloatVec off[kRows][kV];
    FloatVec scaled[kRows][kV];  // dy * inv_std, the last factor of all gradients
    FloatVec plain[kRows];
    FloatVec product[kRows];
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      const size_t at = (first + r) * s_.length;
      const FloatVec middle = hn::Set(d, s_.centred ? mean_[first + r] : 0.0f);
      const FloatVec inv = hn::Set(d, inv_std_[first + r]);
      plain[r] = product[r] = hn::Zero(d);
      HWY_UNROLL(4)
      for (size_t v = 0; v < kV; ++v) {
        off[r][v] = hn::Sub(form_.load(x_ + at, v), middle);
        const FloatVec gradient = form_.load(dy_ + at, v);
        scaled[r][v] = hn::Mul(gradient, inv);
        dscale_[v] = hn::MulAdd(scaled[r][v], off[r][v], dscale_[v]);
        dshift_[v] = hn::Add(gradient, dshift_[v]);
        scaled[r][v] = hn::Mul(scaled[r][v], scale_[v]);
        plain[r] = hn::Add(plain[r], scaled[r][v]);
        product[r] = hn::MulAdd(scaled[r][v], off[r][v], product[r]);
      }
    }
    float offset[kRows];
    float x_factor[kRows];
    store_sums(plain, offset);
    store_sums(product, x_factor);
    map_few<kRows>(offset, [&](auto few, size_t i) {
      return hn::Mul(hn::LoadU(few, offset + i), hn::Set(few, s_.centred ? -share_ : 0.0f));
    });
    map_few<kRows>(x_factor, [&](auto few, size_t i) {
      const auto inv = hn::LoadU(few, inv_std_ + first + i);
      const auto sum = hn::Mul(hn::LoadU(few, x_factor + i), hn::Set(few, -share_));
      return hn::Mul(hn::Mul(sum, inv), inv);
    });
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kV; ++v) {
        const FloatVec rest = hn::Add(scaled[r][v], hn::Set(d, offset[r]));
        const FloatVec result = hn::MulAdd(off[r][v], hn::Set(d, x_factor[r]), rest);
        form_.store(result, dx_ + (first + r) * s_.length, v);
      }
    }
  }

  // Writes the sums over all rows so far.
  HWY_INLINE void store_sums_over_rows(float* dgamma, float* dbeta) const {
    for (size_t v = 0; v < kV; ++v) form_.store(dscale_[v], dgamma, v);
    for (size_t v = 0; dbeta != nullptr && v < kV; ++v) form_.store(dshift_[v], dbeta, v);
  }

 private:
  NormRows s_;
  ShortRow<kV> form_;
  float share_;
  const float* x_;
  const float* mean_;
  const float* inv_std_;
  const float* dy_;
  float* dx_;
  FloatVec scale_[kV];
  FloatVec dscale_[kV];
  FloatVec dshift_[kV];
};

// work.rows<n>(first) on all rows of [begin, end).
template <class Work>
HWY_INLINE void for_short_rows(Work& work, size_t begin, size_t end) {
  size_t row = begin;
  for (; row + 4 <= end; row += 4) work.template rows<4>(row);
  for (; row < end; ++row) work.template rows<1>(row);
}

// Rows of at most so many vectors are short.
constexpr size_t kShortVectors = 4;

// fn(the number of vectors of a row, as a constant) if there are so few; false if not.
template <class Fn>
HWY_INLINE bool with_short_vectors(size_t length, const Fn& fn) {
  static_assert(kShortVectors == 4);
  switch ((length + kLanes - 1) / kLanes) {
    case 1:
      return fn(std::integral_constant<size_t, 1>()), true;
    case 2:
      return fn(std::integral_constant<size_t, 2>()), true;
    case 3:
      return fn(std::integral_constant<size_t, 3>()), true;
    case 4:
      return fn(std::integral_constant<size_t, 4>()), true;
    default:
      return false;
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
