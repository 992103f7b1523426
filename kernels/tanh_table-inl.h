// tanh by a table of polynomials, for targets with tables of 32 floats in two registers. Included
// once per target.
#if defined(NSOP_KERNELS_TANH_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_TANH_TABLE_INL_H_
#undef NSOP_KERNELS_TANH_TABLE_INL_H_
#else
#define NSOP_KERNELS_TANH_TABLE_INL_H_
#endif

#include "kernels/math-inl.h"
#include "kernels/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

#if NSOP_HAVE_FLOAT_TABLES

// tanh(a) = b0 + a (b1 + v (b2 + v (b3 + v b4))) with v = a - 1.375 on each of 32 intervals of
// [0, 9.3]: those in which z = 0.805 a + 0.5 has the same exponent and the same upper three bits of
// its mantissa. These five bits of z are the index; they put z = 2 at index 0. Term by term from b4
// down, each was fitted (minimax of the error in ULPs, by Lawson's weights) after the ones above it
// were rounded. The constant centre of v costs one instruction and keeps the terms, and with them
// the errors of rounding, small; b0 = 0 in the interval of 0 keeps results right next to 0.
alignas(64) constexpr float kTanhTerms[5][32] = {
    {-0x1.1224d6p-4f,
     0x1.46ca54p-4f,
     0x1.016078p-2f,
     0x1.abc9d4p-2f,
     0x1.20253ap-1f,
     0x1.5c87ap-1f,
     0x1.8b5288p-1f,
     0x1.ae4dd2p-1f,
     0x1.d0d814p-1f,
     0x1.eacbd4p-1f,
     0x1.f6df0ap-1f,
     0x1.fc3522p-1f,
     0x1.fe7888p-1f,
     0x1.ff661cp-1f,
     0x1.ffc4dp-1f,
     0x1.ffe9aap-1f,
     0.0f,
     0x1.1e78aep-19f,
     0x1.cba626p-16f,
     0x1.de4fe2p-14f,
     0x1.22ff44p-12f,
     0x1.8d5406p-12f,
     0x1.f7a3dep-15f,
     -0x1.496166p-10f,
     -0x1.c31364p-8f,
     -0x1.95e7bep-6f,
     -0x1.c899dp-5f,
     -0x1.83083ep-4f,
     -0x1.0c04bp-3f,
     -0x1.3bf282p-3f,
     -0x1.421356p-3f,
     -0x1.1871bap-3f},
    {0x1.60b59ap-1f,  0x1.2b1816p-1f, 0x1.db7bc4p-2f,  0x1.67bd44p-2f,  0x1.061116p-2f,
     0x1.72b17p-3f,   0x1.0003d6p-3f, 0x1.5ac4bp-4f,   0x1.7d0874p-5f,  0x1.40e6d8p-6f,
     0x1.034d34p-7f,  0x1.955edcp-9f, 0x1.3455e4p-10f, 0x1.ca7908p-12f, 0x1.4e51a6p-13f,
     0x1.df86a2p-15f, 0x1.af566ep-2f, 0x1.10cd8ap-1f,  0x1.34169cp-1f,  0x1.476684p-1f,
     0x1.5067d8p-1f,  0x1.5252b8p-1f, 0x1.50f1f4p-1f,  0x1.4ed578p-1f,  0x1.4d4a32p-1f,
     0x1.51910cp-1f,  0x1.5c755cp-1f, 0x1.6acda8p-1f,  0x1.785898p-1f,  0x1.810f78p-1f,
     0x1.822ccp-1f,   0x1.7a9e42p-1f},
    {-0x1.5b7332p-2f,  -0x1.177b5ep-2f, -0x1.a0ec0ap-3f,  -0x1.26d142p-3f,  -0x1.91545ep-4f,
     -0x1.09952ap-4f,  -0x1.5808bp-5f,  -0x1.b6298cp-6f,  -0x1.b97fa8p-7f,  -0x1.4de456p-8f,
     -0x1.e90d78p-10f, -0x1.5d44dp-11f, -0x1.e8db88p-13f, -0x1.506ef8p-14f, -0x1.c8993ep-16f,
     -0x1.322678p-17f, -0x1.9b3238p-1f, -0x1.156ce8p-1f,  -0x1.774562p-2f,  -0x1.0c5516p-2f,
     -0x1.ab6a8ap-3f,  -0x1.91c6e8p-3f, -0x1.a8666ap-3f,  -0x1.d465cp-3f,   -0x1.0f6a12p-2f,
     -0x1.352b9ap-2f,  -0x1.503972p-2f, -0x1.67521cp-2f,  -0x1.7b2cccp-2f,  -0x1.87d96cp-2f,
     -0x1.89791ap-2f,  -0x1.7ec53p-2f},
    {0x1.c210a2p-4f,  0x1.470ccp-4f,   0x1.b66916p-5f,  0x1.178ab2p-5f, 0x1.5945bep-6f,
     0x1.a16cb6p-7f,  0x1.f11cd8p-8f,  0x1.24bc68p-8f,  0x1.08f038p-9f, 0x1.6064b2p-11f,
     0x1.cc5d68p-13f, 0x1.289fa8p-14f, 0x1.7a1c88p-16f, 0x1.ddb95p-18f, 0x1.2b902ep-19f,
     0x1.7557a8p-21f, -0x1.ff8bbap-3f, -0x1.761c2ep-5f, 0x1.a7bd08p-4f, 0x1.99d9b8p-3f,
     0x1.0413a6p-2f,  0x1.121e58p-2f,  0x1.042084p-2f,  0x1.cd9e98p-3f, 0x1.6314bp-3f,
     0x1.fa48ccp-4f,  0x1.b44c7ap-4f,  0x1.cb32cp-4f,   0x1.fefe24p-4f, 0x1.11de06p-3f,
     0x1.1434c6p-3f,  0x1.071d38p-3f},
    {-0x1.1e00dcp-6f,  -0x1.6366f6p-7f,  -0x1.9b90fap-8f,  -0x1.cc05a4p-9f,  -0x1.f8ce4ap-10f,
     -0x1.124b92p-10f, -0x1.288c14p-11f, -0x1.3fb7cep-12f, -0x1.00b416p-13f, -0x1.28cdfap-15f,
     -0x1.56e738p-17f, -0x1.8c129cp-19f, -0x1.c974f4p-21f, -0x1.082c0ep-22f, -0x1.311b5ep-24f,
     -0x1.6062d8p-26f, 0x1.4fc854p-6f,   0x1.2de9d2p-4f,   0x1.dbc66ep-4f,   0x1.2ba246p-3f,
     0x1.51994p-3f,    0x1.5c4448p-3f,   0x1.4fa83ep-3f,   0x1.31752p-3f,    0x1.dac618p-4f,
     0x1.131c38p-4f,   0x1.a6621p-6f,    -0x1.407e7cp-9f,  -0x1.289888p-6f,  -0x1.91255ep-6f,
     -0x1.9bca16p-6f,  -0x1.75b198p-6f},
};

HWY_INLINE FloatVec tanh_term(int term, __m512i index) {
  const float* of_term = kTanhTerms[term];
  return FloatVec{
      _mm512_permutex2var_ps(_mm512_load_ps(of_term), index, _mm512_load_ps(of_term + 16))};
}

// 15 instructions per vector where e^2x, division included, takes 24.
HWY_INLINE FloatVec tanh_by_table(FloatTag d, FloatVec x) {
  const FloatVec a = min_keep_nan(d, hn::Set(d, 9.3f), hn::Abs(x));
  const FloatVec z = hn::MulAdd(a, hn::Set(d, 0.805f), hn::Set(d, 0.5f));
  const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(z.raw), 20);  // the low 5 bits count
  const FloatVec v = hn::Sub(a, hn::Set(d, 1.375f));
  FloatVec p = hn::MulAdd(v, tanh_term(4, index), tanh_term(3, index));
  p = hn::MulAdd(p, v, tanh_term(2, index));
  p = hn::MulAdd(p, v, tanh_term(1, index));
  return hn::CopySign(hn::MulAdd(p, a, tanh_term(0, index)), x);
}

#else

HWY_INLINE FloatVec tanh_by_table(FloatTag d, FloatVec x) { return tanh(d, x); }

#endif  // NSOP_HAVE_FLOAT_TABLES

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
