// Vectors of 16-bit floats to and from float32, and the loop that applies a function of float32 to
// arrays of them. Included once per target.
#if defined(NSOP_KERNELS_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_HALF_INL_H_
#undef NSOP_KERNELS_HALF_INL_H_
#else
#define NSOP_KERNELS_HALF_INL_H_
#endif

#include <cstdint>

#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

using HalfTag = hn::Rebind<uint16_t, FloatTag>;  // as many as a vector of floats
using HalfVec = hn::Vec<HalfTag>;
using BitsTag = hn::Rebind<uint32_t, FloatTag>;
using BitsVec = hn::Vec<BitsTag>;
using SignedTag = hn::Rebind<int32_t, FloatTag>;

// Instructions convert binary16 with AVX2 and above.
#undef NSOP_HAVE_F16
#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) && \
    !defined(HWY_DISABLE_F16C)
#define NSOP_HAVE_F16 1
#else
#define NSOP_HAVE_F16 0
#endif

HWY_INLINE BitsVec bits_of(FloatVec v) { return hn::BitCast(BitsTag(), v); }
HWY_INLINE FloatVec floats_of(BitsVec v) { return hn::BitCast(FloatTag(), v); }
HWY_INLINE BitsVec all_bits(uint32_t bits) { return hn::Set(BitsTag(), bits); }
// The lower halves of the lanes, whose upper halves are zero.
HWY_INLINE HalfVec lower_halves(BitsVec v) {
  return hn::DemoteTo(HalfTag(), hn::BitCast(SignedTag(), v));
}
// a >= b, both below 2^31, where they compare as signed numbers do; b > 0.
HWY_INLINE hn::Mask<BitsTag> at_least(BitsVec a, uint32_t b) {
  const SignedTag d;
  const auto below = hn::Set(d, static_cast<int32_t>(b - 1));
  return hn::RebindMask(BitsTag(), hn::Gt(hn::BitCast(d, a), below));
}

// The upper half of a float32.
struct Bf16 {
  static HWY_INLINE FloatVec widen(HalfVec v) {
    return floats_of(hn::ShiftLeft<16>(hn::PromoteTo(BitsTag(), v)));
  }
  static HWY_INLINE HalfVec narrow(FloatVec v) {
    const BitsVec bits = bits_of(v), upper = hn::ShiftRight<16>(bits);
    const BitsVec half = hn::Add(all_bits(0x7fff), hn::And(upper, all_bits(1)));
    const BitsVec rounded = hn::ShiftRight<16>(hn::Add(bits, half));
    const BitsVec nan = hn::Or(upper, all_bits(0x40));  // quiet; rounding could make it infinite
    const auto is_nan = hn::RebindMask(BitsTag(), hn::IsNaN(v));
    return lower_halves(hn::IfThenElse(is_nan, nan, rounded));
  }
};

// After F. Giesen, half_to_float and float_to_half_fast3_rtne
// (https://gist.github.com/rygorous/2156668), where no instruction does it.
struct F16 {
#if NSOP_HAVE_F16
  static HWY_INLINE FloatVec widen(HalfVec v) {
    return hn::PromoteTo(FloatTag(), hn::BitCast(hn::Rebind<hwy::float16_t, FloatTag>(), v));
  }
  static HWY_INLINE HalfVec narrow(FloatVec v) {
    return hn::BitCast(HalfTag(), hn::DemoteTo(hn::Rebind<hwy::float16_t, FloatTag>(), v));
  }
#else
  static constexpr uint16_t kInfinity = 0x7c00;
  static HWY_INLINE FloatVec widen(HalfVec v) {
    const BitsVec half = hn::PromoteTo(BitsTag(), v);
    const BitsVec sign = hn::ShiftLeft<16>(hn::And(half, all_bits(0x8000)));
    const BitsVec rest = hn::ShiftLeft<13>(hn::And(half, all_bits(0x7fff)));
    // The exponent's bias is 15 in place of 127; this also normalises what is denormal.
    const FloatVec scaled = hn::Mul(floats_of(rest), hn::Set(FloatTag(), 0x1p112f));
    const BitsVec special = hn::Or(rest, all_bits(0x7f800000));
    const BitsVec size =
        hn::IfThenElse(at_least(rest, uint32_t{kInfinity} << 13), special, bits_of(scaled));
    return floats_of(hn::Or(size, sign));
  }
  static HWY_INLINE HalfVec narrow(FloatVec v) {
    constexpr uint32_t kFloatInfinity = 0x7f800000, kTooLarge = 0x47800000;  // 2^16
    constexpr uint32_t kNormal = 0x38800000;                                 // 2^-14
    constexpr uint32_t kBias = (127 - 15) << 23;
    const BitsVec sign = hn::And(bits_of(v), all_bits(0x80000000));
    const BitsVec size = hn::Xor(bits_of(v), sign);
    const BitsVec odd = hn::And(hn::ShiftRight<13>(size), all_bits(1));
    const BitsVec moved = hn::Sub(hn::Add(size, hn::Add(odd, all_bits(0xfff))), all_bits(kBias));
    const BitsVec normal = hn::ShiftRight<13>(moved);
    // One half has the denormals' unit as its own: adding it rounds to that.
    const FloatVec one_half = hn::Set(FloatTag(), 0.5f);
    const BitsVec denormal =
        hn::Sub(bits_of(hn::Add(floats_of(size), one_half)), bits_of(one_half));
    BitsVec half = hn::IfThenElse(at_least(size, kNormal), normal, denormal);
    half = hn::IfThenElse(at_least(size, kTooLarge), all_bits(kInfinity), half);
    half = hn::IfThenElse(at_least(size, kFloatInfinity + 1), all_bits(kInfinity | 0x200), half);
    return lower_halves(hn::Or(half, hn::ShiftRight<16>(sign)));
  }
#endif
};

// The first `count` lanes; zeros in the others.
HWY_INLINE HalfVec load_halves(const uint16_t* p, size_t count) {
  HWY_ALIGN uint16_t lanes[hn::MaxLanes(HalfTag())] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = p[i];
  return hn::Load(HalfTag(), lanes);
}
HWY_INLINE void store_halves(HalfVec v, uint16_t* p, size_t count) {
  HWY_ALIGN uint16_t lanes[hn::MaxLanes(HalfTag())];
  hn::Store(v, HalfTag(), lanes);
  for (size_t i = 0; i < count; ++i) p[i] = lanes[i];
}

// y[i] = f(d, x[i]...) for i in [0, n), each rounded once. y may be one of x.
template <class Half, class Function, class... X>
HWY_INLINE void map_halves(const Function& f, uint16_t* y, size_t n, const X*... x) {
  const FloatTag d;
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const FloatVec y0 = f(d, Half::widen(hn::LoadU(HalfTag(), x + i))...);
    const FloatVec y1 = f(d, Half::widen(hn::LoadU(HalfTag(), x + i + kLanes))...);
    hn::StoreU(Half::narrow(y0), HalfTag(), y + i);
    hn::StoreU(Half::narrow(y1), HalfTag(), y + i + kLanes);
  }
  for (; i < n; i += kLanes) {
    const size_t left = HWY_MIN(n - i, kLanes);
    store_halves(Half::narrow(f(d, Half::widen(load_halves(x + i, left))...)), y + i, left);
  }
}

// The same as functions of one signature, for a table: x, y, n and x, dy, dx, n.
template <class Half, class Function>
void map_halves_unary(const uint16_t* x, uint16_t* y, size_t n) {
  map_halves<Half>(Function(), y, n, x);
}
template <class Half, class Function>
void map_halves_binary(const uint16_t* a, const uint16_t* b, uint16_t* c, size_t n) {
  map_halves<Half>(Function(), c, n, a, b);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
