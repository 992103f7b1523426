// The one-dimensional transforms of Winograd's F(4, 3) and F(3, 4) at the points 0, a, -a, b, -b
// and infinity with a^2 = 1/2, b^2 = 2. Included once per target.
#if defined(NSOP_KERNELS_WINOGRAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_WINOGRAD_INL_H_
#undef NSOP_KERNELS_WINOGRAD_INL_H_
#else
#define NSOP_KERNELS_WINOGRAD_INL_H_
#endif

#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

constexpr float kA = 0.70710678118654752f;
constexpr float kB = 1.41421356237309505f;

// t = B^T d: six inputs at the six points. The sums overlap: outputs use inputs i..i+2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void input_points(D d, const V* in, V* t) {
  const V two = hn::Set(d, 2.0f);
  const V half = hn::Set(d, 0.5f);
  const V five_halves = hn::Set(d, 2.5f);
  const V even1 = hn::NegMulAdd(two, in[2], in[4]);
  const V odd1 = hn::Mul(hn::Set(d, kA), hn::NegMulAdd(two, in[1], in[3]));
  const V even2 = hn::NegMulAdd(half, in[2], in[4]);
  const V odd2 = hn::Mul(hn::Set(d, kB), hn::NegMulAdd(half, in[1], in[3]));
  t[0] = hn::NegMulAdd(five_halves, in[2], hn::Add(in[0], in[4]));
  t[1] = hn::Add(even1, odd1);
  t[2] = hn::Sub(even1, odd1);
  t[3] = hn::Add(even2, odd2);
  t[4] = hn::Sub(even2, odd2);
  t[5] = hn::NegMulAdd(five_halves, in[3], hn::Add(in[1], in[5]));
}

// y = A^T m: four outputs from the products at the six points.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void output_values(D d, const V* m, V* y) {
  const V sum1 = hn::Add(m[1], m[2]);
  const V sum2 = hn::Add(m[3], m[4]);
  const V odd1 = hn::Mul(hn::Set(d, kA), hn::Sub(m[1], m[2]));
  const V odd2 = hn::Mul(hn::Set(d, kB), hn::Sub(m[3], m[4]));
  const V two = hn::Set(d, 2.0f);
  const V half = hn::Set(d, 0.5f);
  y[0] = hn::Add(m[0], hn::Add(sum1, sum2));
  y[1] = hn::Add(odd1, odd2);
  y[2] = hn::MulAdd(half, sum1, hn::Mul(two, sum2));
  y[3] = hn::MulAdd(half, odd1, hn::MulAdd(two, odd2, m[5]));
}

// m = A g: four gradients at the six points.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void gradient_points(D d, const V* g, V* m) {
  const V two = hn::Set(d, 2.0f);
  const V half = hn::Set(d, 0.5f);
  const V even1 = hn::MulAdd(half, g[2], g[0]);
  const V odd1 = hn::Mul(hn::Set(d, kA), hn::MulAdd(half, g[3], g[1]));
  const V even2 = hn::MulAdd(two, g[2], g[0]);
  const V odd2 = hn::Mul(hn::Set(d, kB), hn::MulAdd(two, g[3], g[1]));
  m[0] = g[0];
  m[1] = hn::Add(even1, odd1);
  m[2] = hn::Sub(even1, odd1);
  m[3] = hn::Add(even2, odd2);
  m[4] = hn::Sub(even2, odd2);
  m[5] = g[3];
}

// u = G w: three weights at the six points, divided by the products of the points' distances.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void weight_points(D d, const V* w, V* u) {
  const V third = hn::Set(d, -2.0f / 3.0f);
  const V sixth = hn::Set(d, 1.0f / 6.0f);
  const V even1 = hn::Mul(third, hn::MulAdd(hn::Set(d, 0.5f), w[2], w[0]));
  const V odd1 = hn::Mul(hn::Set(d, kA * -2.0f / 3.0f), w[1]);
  const V even2 = hn::Mul(sixth, hn::MulAdd(hn::Set(d, 2.0f), w[2], w[0]));
  const V odd2 = hn::Mul(hn::Set(d, kB / 6.0f), w[1]);
  u[0] = w[0];
  u[1] = hn::Add(even1, odd1);
  u[2] = hn::Sub(even1, odd1);
  u[3] = hn::Add(even2, odd2);
  u[4] = hn::Sub(even2, odd2);
  u[5] = w[2];
}

// dw = G^T m: three gradients of weights from the products at the six points.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void weight_gradients(D d, const V* m, V* dw) {
  const V sum1 = hn::Add(m[1], m[2]);
  const V sum2 = hn::Add(m[3], m[4]);
  const V third = hn::Set(d, 1.0f / 3.0f);
  dw[0] =
      hn::MulAdd(hn::Set(d, -2.0f / 3.0f), sum1, hn::MulAdd(hn::Set(d, 1.0f / 6.0f), sum2, m[0]));
  dw[1] = hn::MulAdd(hn::Set(d, kA * -2.0f / 3.0f), hn::Sub(m[1], m[2]),
                     hn::Mul(hn::Set(d, kB / 6.0f), hn::Sub(m[3], m[4])));
  dw[2] = hn::MulAdd(third, hn::Sub(sum2, sum1), m[5]);
}

// Applies a one-dimensional transform of kIn to kOut values to the columns, then to the rows of
// in[kIn * kIn], or, if not tall, to its single row.
template <size_t kIn, size_t kOut, bool kTall, class D, class Transform, class V = hn::Vec<D>>
HWY_INLINE void transform_tile(D d, Transform&& transform, const V* in, V* out) {
  if constexpr (!kTall) {
    transform(d, in, out);
  } else {
    V columns[kOut * kIn];
    HWY_UNROLL(6)
    for (size_t j = 0; j < kIn; ++j) {
      V from[kIn], to[kOut];
      HWY_UNROLL(6)
      for (size_t i = 0; i < kIn; ++i) from[i] = in[i * kIn + j];
      transform(d, from, to);
      HWY_UNROLL(6)
      for (size_t i = 0; i < kOut; ++i) columns[i * kIn + j] = to[i];
    }
    HWY_UNROLL(6)
    for (size_t i = 0; i < kOut; ++i) transform(d, columns + i * kIn, out + i * kOut);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
