// tanh by a table of polynomials, for targets with tables of 32 floats in two registers. Included
// once per target.
#if defined(NSOP_KERNELS_TANH_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_TANH_TABLE_INL_H_
#undef NSOP_KERNELS_TANH_TABLE_INL_H_
#else
#define NSOP_KERNELS_TANH_TABLE_INL_H_
#endif

#include "kernels/math/math-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

#if NSOP_HAVE_FLOAT_TABLES

// tanh(a) = b0 + a (b1 + v (b2 + v (b3 + v b4))) with v = a - 1.375 on each of 32 intervals of
// [0, 9.3]: those in which z = 0.805 a + 0.5 has the same exponent and the same upper three bits of
// its mantissa. These five bits of z are the index; they put z = 2 at index 0. The constant centre
// of v costs one instruction and keeps the terms, and with them the errors of rounding, small;
// b0 = 0 in the interval of 0 keeps results right next to 0. Term by term from b4 down, each is
// fitted (the least maximal error in ULPs, by Remez's exchange) after the ones above it were
// rounded: tools/tanh_table.py --write does that.
alignas(64) constexpr float kTanhTerms[5][32] = {
    {-0x1.12253cp-4f,
     0x1.46c92ep-4f,
     0x1.01604p-2f,
     0x1.abc99p-2f,
     0x1.20252p-1f,
     0x1.5c878ap-1f,
     0x1.8b5276p-1f,
     0x1.ae4dc6p-1f,
     0x1.d0d7fep-1f,
     0x1.eacbcap-1f,
     0x1.f6df06p-1f,
     0x1.fc352p-1f,
     0x1.fe7888p-1f,
     0x1.ff661cp-1f,
     0x1.ffc4dp-1f,
     0x1.ffe964p-1f,
     0.0f,
     0x1.1f005p-19f,
     0x1.cb826ap-16f,
     0x1.de6452p-14f,
     0x1.22ff44p-12f,
     0x1.8d509cp-12f,
     0x1.f76a02p-15f,
     -0x1.4966ccp-10f,
     -0x1.c3157cp-8f,
     -0x1.95e6e2p-6f,
     -0x1.c8994cp-5f,
     -0x1.8307fap-4f,
     -0x1.0c0484p-3f,
     -0x1.3bf298p-3f,
     -0x1.42134p-3f,
     -0x1.1871a6p-3f},
    {0x1.60b5a4p-1f,  0x1.2b183p-1f,  0x1.db7beap-2f,  0x1.67bd7p-2f,   0x1.06113ap-2f,
     0x1.72b1a8p-3f,  0x1.0004p-3f,   0x1.5ac4eap-4f,  0x1.7d093p-5f,   0x1.40e774p-6f,
     0x1.034dbap-7f,  0x1.955fbap-9f, 0x1.34568ap-10f, 0x1.ca7a12p-12f, 0x1.4e525cp-13f,
     0x1.e5afeap-15f, 0x1.af2a88p-2f, 0x1.10cdb6p-1f,  0x1.34168ap-1f,  0x1.47674p-1f,
     0x1.5067d4p-1f,  0x1.5252bap-1f, 0x1.50f1f4p-1f,  0x1.4ed576p-1f,  0x1.4d4a34p-1f,
     0x1.519108p-1f,  0x1.5c7556p-1f, 0x1.6acda2p-1f,  0x1.78589p-1f,   0x1.810f7cp-1f,
     0x1.822cbcp-1f,  0x1.7a9e3ep-1f},
    {-0x1.5b7342p-2f,  -0x1.177b7ep-2f,  -0x1.a0ec34p-3f,  -0x1.26d16cp-3f,  -0x1.9154a2p-4f,
     -0x1.09955ap-4f,  -0x1.5808f2p-5f,  -0x1.b629e2p-6f,  -0x1.b9809cp-7f,  -0x1.4de50ep-8f,
     -0x1.e90e9p-10f,  -0x1.5d459ep-11f, -0x1.e8dca6p-13f, -0x1.506fcap-14f, -0x1.c89a48p-16f,
     -0x1.365a7ap-17f, -0x1.9b63acp-1f,  -0x1.156c78p-1f,  -0x1.7745c6p-2f,  -0x1.0c50dcp-2f,
     -0x1.ab6abcp-3f,  -0x1.91c6dcp-3f,  -0x1.a8668p-3f,   -0x1.d46616p-3f,  -0x1.0f6a28p-2f,
     -0x1.352b86p-2f,  -0x1.503968p-2f,  -0x1.675212p-2f,  -0x1.7b2cbep-2f,  -0x1.87d972p-2f,
     -0x1.897916p-2f,  -0x1.7ec528p-2f},
    {0x1.c210c4p-4f,  0x1.470cf6p-4f,  0x1.b6695p-5f,   0x1.178ae4p-5f,  0x1.594606p-6f,
     0x1.a16d12p-7f,  0x1.f11d4ap-8f,  0x1.24bcacp-8f,  0x1.08f0dep-9f,  0x1.60658ep-11f,
     0x1.cc5e8cp-13f, 0x1.28a066p-14f, 0x1.7a1d78p-16f, 0x1.ddba92p-18f, 0x1.2b90e8p-19f,
     0x1.7ad3fep-21f, -0x1.001022p-2f, -0x1.76167p-5f,  0x1.a7bbaap-4f,  0x1.99e1dcp-3f,
     0x1.04138cp-2f,  0x1.121e5ep-2f,  0x1.042076p-2f,  0x1.cd9e2p-3f,   0x1.63146ep-3f,
     0x1.fa492ep-4f,  0x1.b44c82p-4f,  0x1.cb32aep-4f,  0x1.fefep-4f,    0x1.11de1p-3f,
     0x1.1434c2p-3f,  0x1.071d2ep-3f},
    {-0x1.1e0102p-6f,  -0x1.63674ap-7f,  -0x1.9b9142p-8f,  -0x1.cc060cp-9f,  -0x1.f8cecap-10f,
     -0x1.124bdap-10f, -0x1.288c64p-11f, -0x1.3fb826p-12f, -0x1.00b4ccp-13f, -0x1.28cecap-15f,
     -0x1.56e828p-17f, -0x1.8c13bp-19f,  -0x1.c9762ep-21f, -0x1.082ccep-22f, -0x1.311c28p-24f,
     -0x1.65eb7ep-26f, 0x1.4e9eecp-6f,   0x1.2dea9ap-4f,   0x1.dbc606p-4f,   0x1.2ba4ecp-3f,
     0x1.51992ep-3f,   0x1.5c444cp-3f,   0x1.4fa83p-3f,    0x1.3174dcp-3f,   0x1.dac5aep-4f,
     0x1.131cb2p-4f,   0x1.a66314p-6f,   -0x1.407a5p-9f,   -0x1.28980ap-6f,  -0x1.91259p-6f,
     -0x1.9bca0ep-6f,  -0x1.75b18p-6f},
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
