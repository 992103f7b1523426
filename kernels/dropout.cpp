#include "kernels/dropout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dropout.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

constexpr uint32_t kMultiplier0 = 0xD2511F53;
constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kKeyStep0 = 0x9E3779B9;
constexpr uint32_t kKeyStep1 = 0xBB67AE85;
constexpr size_t kRounds = 10;

#if HWY_TARGET == HWY_SCALAR

using Words = std::array<uint32_t, 4>;

inline Words philox_block(const PhiloxStream& stream, uint64_t block) {
  Words c = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
             static_cast<uint32_t>(stream.run), static_cast<uint32_t>(stream.run >> 32)};
  auto k0 = static_cast<uint32_t>(stream.seed);
  auto k1 = static_cast<uint32_t>(stream.seed >> 32);
  for (size_t round = 0; round < kRounds; ++round, k0 += kKeyStep0, k1 += kKeyStep1) {
    const uint64_t p0 = uint64_t{kMultiplier0} * c[0];
    const uint64_t p1 = uint64_t{kMultiplier1} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
  }
  return c;
}

// Calls use(i, word) for the 64 words of a chunk.
template <class Use>
HWY_INLINE void for_each_word(const PhiloxStream& stream, uint64_t chunk, const Use& use) {
  const hn::Sisd<uint32_t> d;
  for (size_t b = 0; b < 16; ++b) {
    const Words words = philox_block(stream, chunk * 16 + b);
    for (size_t w = 0; w < 4; ++w) use(16 * w + b, hn::Set(d, words[w]));
  }
}

#else

// Counters of as many blocks as there are 64-bit lanes, word by word; the upper halves of lanes are
// of no meaning.
template <class V>
struct Counters {
  V c0, c1, c2, c3;
};

template <class V>
HWY_INLINE void philox_round(V k0, V k1, Counters<V>& c) {
  const hn::ScalableTag<uint64_t> d64;
  const hn::ScalableTag<uint32_t> d32;
  const auto multiply = [&](V word, uint32_t factor) {
    return hn::MulEven(hn::BitCast(d32, word), hn::Set(d32, factor));
  };
  const V p0 = multiply(c.c0, kMultiplier0);
  const V p1 = multiply(c.c2, kMultiplier1);
  c.c0 = hn::Xor3(hn::ShiftRight<32>(p1), c.c1, k0);
  c.c1 = p1;
  c.c2 = hn::Xor3(hn::ShiftRight<32>(p0), c.c3, k1);
  c.c3 = p0;
  (void)d64;
}

// Calls use(i, vector of words i, i + 1, ...) for the 64 words of a chunk. Blocks with even and
// with odd numbers are computed apart, so that their words interleave with a shift.
template <class Use>
HWY_INLINE void for_each_word(const PhiloxStream& stream, uint64_t chunk, const Use& use) {
  const hn::ScalableTag<uint64_t> d64;
  const hn::ScalableTag<uint32_t> d32;
  using V = hn::Vec<decltype(d64)>;
  const uint64_t block = chunk * 16;
  for (size_t b = 0; b < 16; b += kLanes) {
    const V numbers = hn::Add(hn::Iota(d64, 0), hn::Iota(d64, 0));
    const V upper = hn::Set(d64, block >> 32);
    const V run_lower = hn::Set(d64, stream.run);
    const V run_upper = hn::Set(d64, stream.run >> 32);
    Counters<V> even = {hn::Add(numbers, hn::Set(d64, block + b)), upper, run_lower, run_upper};
    Counters<V> odd = {hn::Add(numbers, hn::Set(d64, block + b + 1)), upper, run_lower, run_upper};
    auto k0 = static_cast<uint32_t>(stream.seed);
    auto k1 = static_cast<uint32_t>(stream.seed >> 32);
    HWY_UNROLL(10)
    for (size_t round = 0; round < kRounds; ++round, k0 += kKeyStep0, k1 += kKeyStep1) {
      philox_round(hn::Set(d64, k0), hn::Set(d64, k1), even);
      philox_round(hn::Set(d64, k0), hn::Set(d64, k1), odd);
    }
    const auto merge = [&](V e, V o) {
      return hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(o)), hn::BitCast(d32, e));
    };
    use(b, merge(even.c0, odd.c0));
    use(b + 16, merge(even.c1, odd.c1));
    use(b + 32, merge(even.c2, odd.c2));
    use(b + 48, merge(even.c3, odd.c3));
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

void chunk_words(const PhiloxStream& stream, uint64_t chunk, uint32_t* words) {
  const hn::ScalableTag<uint32_t> d;
  for_each_word(stream, chunk, [&](size_t i, auto v) { hn::StoreU(v, d, words + i); });
}

// Elements [begin, end), begin at a chunk's start. A word below `threshold`, both as signed
// numbers, drops its element. 12 bytes and 1 flop per element, and ~5 integer operations.
void dropout_part(const PhiloxStream& stream, int32_t threshold, float scale, const float* x,
                  float* y, float* mask, size_t begin, size_t end) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const auto least = hn::Set(di, threshold);
  const FloatVec kept = hn::Set(d, scale);
  const auto factor = [&](auto words) {
    const auto drops = hn::Lt(hn::BitCast(di, words), least);
    return hn::IfThenZeroElse(hn::RebindMask(d, drops), kept);
  };
  size_t i = begin;
  for (; i + kPhiloxChunk <= end; i += kPhiloxChunk) {
    for_each_word(stream, i / kPhiloxChunk, [&](size_t at, auto words) {
      const FloatVec m = factor(words);
      hn::StoreU(m, d, mask + i + at);
      hn::StoreU(hn::Mul(hn::LoadU(d, x + i + at), m), d, y + i + at);
    });
  }
  if (i == end) return;
  HWY_ALIGN float last[kPhiloxChunk];
  for_each_word(stream, i / kPhiloxChunk,
                [&](size_t at, auto words) { hn::StoreU(factor(words), d, last + at); });
  copy_floats(last, mask + i, end - i);
  for (size_t j = i; j < end; ++j) y[j] = x[j] * last[j - i];
}

// 12 bytes and 1 flop per element.
void product_part(const float* mask, const float* dy, float* dx, size_t n) {
  const auto product = [](FloatTag, FloatVec a, FloatVec b) { return hn::Mul(a, b); };
  map_loop<false>(product, dx, n, Moving{mask}, Moving{dy});
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(chunk_words);
HWY_EXPORT(dropout_part);
HWY_EXPORT(product_part);

constexpr size_t kLeastDrawn = 8192;  // per thread: below that a fork costs more than it brings
constexpr size_t kLeastProducts = 32768;

// rate * 2^32 on the scale of signed words.
int32_t threshold_of(double rate) {
  const double words = std::min(std::round(rate * 0x1p32), 0x1p32 - 1);
  return static_cast<int32_t>(static_cast<int64_t>(words) - (int64_t{1} << 31));
}

}  // namespace

void philox_chunk(const PhiloxStream& stream, uint64_t chunk,
                  std::span<uint32_t, kPhiloxChunk> words) {
  HWY_DYNAMIC_DISPATCH(chunk_words)(stream, chunk, words.data());
}

void dropout_forward(const PhiloxStream& stream, double rate, std::span<const float> x,
                     std::span<float> y, std::span<float> mask, Pool& pool) {
  assert(y.size() == x.size() && mask.size() == x.size());
  assert(rate >= 0 && rate < 1);
  const auto part = HWY_DYNAMIC_DISPATCH(dropout_part);
  const auto scale = static_cast<float>(1 / (1 - rate));
  parallel_chunks(pool, x.size(), kLeastDrawn, [&](size_t begin, size_t end) {
    part(stream, threshold_of(rate), scale, x.data(), y.data(), mask.data(), begin, end);
  });
}

void dropout_backward(std::span<const float> mask, std::span<const float> dy, std::span<float> dx,
                      Pool& pool) {
  assert(dy.size() == mask.size() && dx.size() == mask.size());
  const auto part = HWY_DYNAMIC_DISPATCH(product_part);
  parallel_chunks(pool, mask.size(), kLeastProducts, [&](size_t begin, size_t end) {
    part(mask.data() + begin, dy.data() + begin, dx.data() + begin, end - begin);
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  if (request.op_case.str("pass") == "backward") {
    return make_step(request, 0, "single pass",
                     [](StepBuffers& b) { dropout_backward(b.in[0], b.in[1], b.out[0], *b.pool); });
  }
  const double rate = request.op_case.number("rate");
  PhiloxStream stream{.seed = 0x6e736f70, .run = 0};
  return make_step(request, 0, "philox4x32-10", [rate, stream](StepBuffers& b) mutable {
    dropout_forward(stream, rate, b.in[0], b.out[0], b.out[1], *b.pool);
    ++stream.run;
  });
}

const VariantRow row{hwy_variant(
    "dropout", "counter-based generator in lanes, mask stored in the same pass", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
