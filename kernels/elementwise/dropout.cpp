#include "kernels/elementwise/dropout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/dropout.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"

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

// Calls use(64 * i + j, word) for word j of chunk first + i, i < chunks.
template <class Use>
HWY_INLINE void for_each_word(const PhiloxStream& stream, uint64_t first, size_t chunks,
                              const Use& use) {
  const hn::Sisd<uint32_t> d;
  for (size_t block = 0; block < 16 * chunks; ++block) {
    const Words words = philox_block(stream, first * 16 + block);
    const size_t at = block / 16 * kPhiloxChunk + block % 16;
    for (size_t w = 0; w < 4; ++w) use(at + 16 * w, hn::Set(d, words[w]));
  }
}

#else

// Words of as many blocks as there are 64-bit lanes; the upper halves of lanes are of no meaning.
using WordVec = hn::Vec<hn::ScalableTag<uint64_t> >;

struct Counters {
  WordVec c0, c1, c2, c3;
};

// The product of the words and a factor, 64 bits.
HWY_INLINE WordVec multiply(WordVec words, uint32_t factor) {
  const hn::ScalableTag<uint32_t> d;
  return hn::MulEven(hn::BitCast(d, words), hn::Set(d, factor));
}

// The upper word of each product. (A shuffle: shifts compete with products for a port.)
HWY_INLINE WordVec upper_words(WordVec products) {
  const hn::ScalableTag<uint32_t> d;
  return hn::BitCast(hn::ScalableTag<uint64_t>(), hn::DupOdd(hn::BitCast(d, products)));
}

HWY_INLINE void philox_round(WordVec k0, WordVec k1, Counters& c) {
  const WordVec p0 = multiply(c.c0, kMultiplier0);
  const WordVec p1 = multiply(c.c2, kMultiplier1);
  c.c0 = hn::Xor3(upper_words(p1), c.c1, k0);
  c.c1 = p1;
  c.c2 = hn::Xor3(upper_words(p0), c.c3, k1);
  c.c3 = p0;
}

// Calls use(64 * i + j, vector of words j, j + 1, ...) for all words of chunk first + i, i <
// chunks. The numbers of the first and the last block have the same upper half. Blocks with even
// and with odd numbers are computed apart, so that their words interleave with a shift.
template <class Use>
HWY_INLINE void for_each_word(const PhiloxStream& stream, uint64_t first, size_t chunks,
                              const Use& use) {
  const hn::ScalableTag<uint64_t> d64;
  const hn::ScalableTag<uint32_t> d32;
  WordVec k0[kRounds];
  WordVec k1[kRounds];
  for (uint32_t round = 0; round < kRounds; ++round) {
    k0[round] = hn::Set(d64, static_cast<uint32_t>(stream.seed) + round * kKeyStep0);
    k1[round] = hn::Set(d64, static_cast<uint32_t>(stream.seed >> 32) + round * kKeyStep1);
  }
  const WordVec numbers = hn::Add(hn::Iota(d64, 0), hn::Iota(d64, 0));
  const WordVec upper = hn::Set(d64, (first * 16) >> 32);
  const WordVec run_lower = hn::Set(d64, stream.run);
  const WordVec run_upper = hn::Set(d64, stream.run >> 32);
  for (size_t block = 0; block < 16 * chunks; block += kLanes) {
    const WordVec lower = hn::Add(numbers, hn::Set(d64, first * 16 + block));
    Counters even = {lower, upper, run_lower, run_upper};
    Counters odd = {hn::Add(lower, hn::Set(d64, 1)), upper, run_lower, run_upper};
    HWY_UNROLL(10)
    for (size_t round = 0; round < kRounds; ++round) {
      philox_round(k0[round], k1[round], even);
      philox_round(k0[round], k1[round], odd);
    }
    const auto merge = [&](WordVec e, WordVec o) {
      return hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(o)), hn::BitCast(d32, e));
    };
    const size_t at = block / 16 * kPhiloxChunk + block % 16;
    use(at, merge(even.c0, odd.c0));
    use(at + 16, merge(even.c1, odd.c1));
    use(at + 32, merge(even.c2, odd.c2));
    use(at + 48, merge(even.c3, odd.c3));
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

void chunk_words(const PhiloxStream& stream, uint64_t chunk, uint32_t* words) {
  const hn::ScalableTag<uint32_t> d;
  for_each_word(stream, chunk, 1, [&](size_t i, auto v) { hn::StoreU(v, d, words + i); });
}

// Elements [begin, end), begin at the start of a chunk's elements. 12 bytes and 1 flop per element,
// and the generator's ~5 integer operations per word.
template <size_t kShare>
void drop_elements(const DropoutRule& rule, const float* x, float* y, float* mask, size_t begin,
                   size_t end) {
  constexpr size_t kElements = kShare * kPhiloxChunk;
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const auto least = hn::Set(di, rule.threshold);
  const FloatVec kept = hn::Set(d, rule.scale);
  // Calls put(element, factors) for the elements that a vector of words decides on.
  const auto for_each_factor = [&](size_t first, size_t chunks, const auto& put) {
    for_each_word(rule.stream, first, chunks, [&](size_t at, auto words) {
      auto piece = hn::BitCast(di, words);
      const size_t element = at / kPhiloxChunk * kElements + at % kPhiloxChunk;
      HWY_UNROLL(4)
      for (size_t i = 0; i < kShare; ++i) {
        const auto drops = hn::RebindMask(d, hn::Lt(piece, least));
#if HWY_TARGET == HWY_SCALAR
        // Selecting would branch, and mispredict half of the time.
        put(element + i * kPhiloxChunk, hn::AndNot(hn::VecFromMask(d, drops), kept));
#else
        put(element + i * kPhiloxChunk, hn::IfThenZeroElse(drops, kept));
#endif
        piece = hn::ShiftLeft < kShare == 1 ? 0 : 32 / kShare > (piece);
      }
    });
  };
  const size_t chunks = (end - begin) / kElements;
  for_each_factor(begin / kElements, chunks, [&](size_t at, FloatVec m) {
    hn::StoreU(m, d, mask + begin + at);
    hn::StoreU(hn::Mul(hn::LoadU(d, x + begin + at), m), d, y + begin + at);
  });
  const size_t i = begin + chunks * kElements;
  if (i == end) return;
  HWY_ALIGN float last[kElements];
  for_each_factor(i / kElements, 1, [&](size_t at, FloatVec m) { hn::StoreU(m, d, last + at); });
  copy_floats(last, mask + i, end - i);
  for (size_t j = i; j < end; ++j) y[j] = x[j] * last[j - i];
}

void dropout_part(const DropoutRule& rule, const float* x, float* y, float* mask, size_t begin,
                  size_t end) {
  if (rule.share == 4) return drop_elements<4>(rule, x, y, mask, begin, end);
  if (rule.share == 2) return drop_elements<2>(rule, x, y, mask, begin, end);
  drop_elements<1>(rule, x, y, mask, begin, end);
}

// 12 bytes and 1 flop per element.
void product_part(const float* mask, const float* dy, float* dx, size_t n) {
  const auto product = [](FloatTag, FloatVec a, FloatVec b) { return hn::Mul(a, b); };
  map(product, false, dx, n, Moving{mask}, Moving{dy});
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(chunk_words);
HWY_EXPORT(dropout_part);
HWY_EXPORT(product_part);

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

size_t dropout_share(double rate) {
  const auto divides = [rate](double parts) { return rate * parts == std::floor(rate * parts); };
  return divides(0x1p8) ? 4 : divides(0x1p16) ? 2 : 1;
}

void dropout_forward(const PhiloxStream& stream, double rate, std::span<const float> x,
                     std::span<float> y, std::span<float> mask, ThreadPool& thread_pool) {
  assert(y.size() == x.size() && mask.size() == x.size());
  assert(rate >= 0 && rate < 1);
  const auto part = HWY_DYNAMIC_DISPATCH(dropout_part);
  const DropoutRule rule = {stream, threshold_of(rate), static_cast<float>(1 / (1 - rate)),
                            dropout_share(rate)};
  const size_t parts = worthwhile_parts(thread_pool, x.size(), kDrawnElements);
  thread_pool.parallel(static_cast<int>(parts), [&](int i, int) {
    const Range range =
        split_range(x.size(), rule.share * kPhiloxChunk, parts, static_cast<size_t>(i));
    if (range.size() == 0) return;
    part(rule, x.data(), y.data(), mask.data(), range.begin, range.end);
  });
}

void dropout_backward(std::span<const float> mask, std::span<const float> dy, std::span<float> dx,
                      ThreadPool& thread_pool) {
  assert(dy.size() == mask.size() && dx.size() == mask.size());
  const auto part = HWY_DYNAMIC_DISPATCH(product_part);
  parallel_chunks(thread_pool, mask.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    part(mask.data() + begin, dy.data() + begin, dx.data() + begin, end - begin);
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  if (request.op_case.str("pass") == "backward") {
    return make_step(request, 0, "single pass", [](StepBuffers& b) {
      dropout_backward(b.in[0], b.in[1], b.out[0], *b.thread_pool);
    });
  }
  const double rate = request.op_case.number("rate");
  PhiloxStream stream{.seed = 0x6e736f70, .run = 0};
  const std::string chose =
      "philox4x32-10, bits per element: " + std::to_string(32 / dropout_share(rate));
  return make_step(request, 0, chose, [rate, stream](StepBuffers& b) mutable {
    dropout_forward(stream, rate, b.in[0], b.out[0], b.out[1], *b.thread_pool);
    ++stream.run;
  });
}

const Variant hwy = hwy_variant(
    "dropout", "counter-based generator in lanes, mask stored in the same pass", prepare);
const ForkingRow row{hwy};
const VariantRow fresh_row{fresh_variant(hwy)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
