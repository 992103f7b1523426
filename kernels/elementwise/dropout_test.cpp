// The generator against the known answers of its authors, and the masks against chance.
#include "kernels/elementwise/dropout.h"

#include "harness/core/registry.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

class DropoutOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, DropoutOnTarget, testing::ValuesIn(targets()), target_param_name);

using Block = std::array<uint32_t, 4>;

Block block_of(const PhiloxStream& stream, uint64_t block) {
  std::array<uint32_t, kPhiloxChunk> words{};
  philox_chunk(stream, block / 16, words);
  Block result{};
  for (size_t w = 0; w < 4; ++w) result[w] = words[16 * w + block % 16];
  return result;
}

// Known-answer vectors of philox4x32-10 from the authors' library (Random123).
TEST_P(DropoutOnTarget, PhiloxGivesTheKnownAnswers) {
  EXPECT_EQ(block_of({.seed = 0, .run = 0}, 0),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(block_of({.seed = ~uint64_t{0}, .run = ~uint64_t{0}}, ~uint64_t{0}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(block_of({.seed = 0x299f31d0a4093822, .run = 0x0370734413198a2e}, 0x85a308d3243f6a88),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The textbook form of the generator, one block at a time.
Block textbook(uint64_t seed, uint64_t run, uint64_t block) {
  const auto lower = [](uint64_t v) { return static_cast<uint32_t>(v); };
  const auto upper = [](uint64_t v) { return static_cast<uint32_t>(v >> 32); };
  Block c = {lower(block), upper(block), lower(run), upper(run)};
  for (uint32_t round = 0; round < 10; ++round) {
    const uint32_t k0 = lower(seed) + round * 0x9E3779B9;
    const uint32_t k1 = upper(seed) + round * 0xBB67AE85;
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {upper(p1) ^ c[1] ^ k0, lower(p1), upper(p0) ^ c[3] ^ k1, lower(p0)};
  }
  return c;
}

TEST_P(DropoutOnTarget, EveryLaneIsTheTextbooksBlock) {
  SplitMix64 random(1);
  for (int i = 0; i < 20; ++i) {
    const PhiloxStream stream{random.next(), random.next()};
    const uint64_t chunk = random.next() >> 4;
    for (uint64_t b = 0; b < 16; ++b) {
      EXPECT_EQ(block_of(stream, chunk * 16 + b),
                textbook(stream.seed, stream.run, chunk * 16 + b));
    }
  }
}

// The bits that decide on element i, as a fraction of 1.
double fraction_of(const PhiloxStream& stream, size_t share, size_t i) {
  const size_t chunk = i / (kPhiloxChunk * share);
  const size_t piece = i / kPhiloxChunk % share;
  const size_t at = i % kPhiloxChunk;
  const uint32_t word = textbook(stream.seed, stream.run, chunk * 16 + at % 16)[at / 16];
  const size_t bits = 32 / share;
  const uint32_t mine = share == 1 ? word : (word << (bits * piece)) >> (32 - bits);
  // Their order is that of signed numbers.
  const uint32_t ordered = mine ^ (1U << (bits - 1));
  return static_cast<double>(ordered) / static_cast<double>(uint64_t{1} << bits);
}

TEST_P(DropoutOnTarget, DropsBelowTheThresholdWithAnySplit) {
  const PhiloxStream stream{7, 9};
  const std::pair<double, size_t> rates[] = {{0.1, 1}, {0.75, 4}, {1001 * 0x1p-16, 2}};
  for (const auto& [rate, share] : rates) {
    ASSERT_EQ(dropout_share(rate), share);
    for (const size_t n : {1, 15, 63, 64, 65, 300, 1000, 40000}) {
      const std::vector<float> x = random_floats(n, 1);
      for (const int threads : {1, 3}) {
        GuardedFloats y(n, 1);
        GuardedFloats mask(n, 1);
        dropout_forward(stream, rate, x, y.span(), mask.span(), shared_threads(threads));
        EXPECT_TRUE(y.intact() && mask.intact());
        const auto scale = static_cast<float>(1 / (1 - rate));
        for (size_t i = 0; i < n; ++i) {
          const bool drops = fraction_of(stream, share, i) < rate;
          ASSERT_EQ(mask.span()[i], drops ? 0.0f : scale) << rate << " " << i;
          ASSERT_EQ(y.span()[i], x[i] * mask.span()[i]) << rate << " " << i;
        }
      }
    }
  }
}

TEST_P(DropoutOnTarget, RateZeroKeepsAndAlmostOneDrops) {
  const std::vector<float> x(1000, 2.0f);
  GuardedFloats y(1000);
  GuardedFloats mask(1000);
  dropout_forward({1, 1}, 0, x, y.span(), mask.span(), shared_threads(1));
  for (const float v : y.span()) EXPECT_EQ(v, 2.0f);
  dropout_forward({1, 1}, 1 - 0x1p-30, x, y.span(), mask.span(), shared_threads(1));
  for (const float v : y.span()) EXPECT_EQ(v, 0.0f);
}

TEST_P(DropoutOnTarget, NanAndInfinityGoThroughTheProduct) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {std::nanf(""), infinity, -infinity, 1};
  std::vector<float> y(4);
  std::vector<float> mask(4);
  for (uint64_t run = 0; run < 8; ++run) {
    dropout_forward({3, run}, 0.5, x, y, mask, shared_threads(1));
    EXPECT_TRUE(std::isnan(y[0]));
    if (mask[1] != 0) {
      EXPECT_EQ(y[1], infinity);
    }
  }
}

// 65536 choices: true where kept.
std::vector<bool> draw(uint64_t seed, uint64_t run, double rate) {
  const std::vector<float> x(65536, 1.0f);
  std::vector<float> y(x.size());
  std::vector<float> mask(x.size());
  dropout_forward({seed, run}, rate, x, y, mask, shared_threads(1));
  std::vector<bool> kept(x.size());
  for (size_t i = 0; i < kept.size(); ++i) kept[i] = mask[i] != 0;
  return kept;
}

// How often both of a[i] and b[i + lag] are kept, in standard deviations from independence.
double correlation(const std::vector<bool>& a, const std::vector<bool>& b, size_t lag,
                   double rate) {
  double sum = 0;
  for (size_t i = 0; i + lag < b.size(); ++i) {
    sum += ((a[i] ? 1 : 0) - (1 - rate)) * ((b[i + lag] ? 1 : 0) - (1 - rate));
  }
  return sum / (rate * (1 - rate)) / std::sqrt(static_cast<double>(b.size() - lag));
}

class DropoutChance : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Rates, DropoutChance, testing::Values(0.1, 0.5, 0.9, 6553 * 0x1p-16),
                         [](const auto& param) {
                           return "rate" + std::to_string(std::lround(1e6 * param.param));
                         });

TEST_P(DropoutChance, KeepsTheRightShare) {
  const double rate = GetParam();
  const double n = 65536;
  double all = 0;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    const std::vector<bool> kept = draw(seed, 5, rate);
    const auto count = static_cast<double>(std::count(kept.begin(), kept.end(), true));
    all += count;
    EXPECT_NEAR(count, n * (1 - rate), 5 * std::sqrt(n * rate * (1 - rate))) << seed;
  }
  EXPECT_NEAR(all, 16 * n * (1 - rate), 5 * std::sqrt(16 * n * rate * (1 - rate)));
}

TEST_P(DropoutChance, NeighboursRunsAndSeedsAreIndependent) {
  const double rate = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<bool> kept = draw(seed, 0, rate);
    for (const size_t lag : {1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 48, 63, 64, 128, 192, 256, 1024}) {
      EXPECT_LT(std::abs(correlation(kept, kept, lag, rate)), 5) << seed << " lag " << lag;
    }
    EXPECT_LT(std::abs(correlation(kept, draw(seed, 1, rate), 0, rate)), 5) << seed;
    EXPECT_LT(std::abs(correlation(kept, draw(seed + 1, 0, rate), 0, rate)), 5) << seed;
  }
}

// Lengths of runs of equal choices: kept runs of length k have probability (1 - rate)^(k-1) rate.
TEST_P(DropoutChance, RunsHaveTheirLengths) {
  const double rate = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<bool> kept = draw(seed, 2, rate);
    std::vector<double> runs(4, 0.0);  // of 1, 2, 3 and more
    double total = 0;
    for (size_t i = 0; i < kept.size();) {
      size_t end = i;
      while (end < kept.size() && kept[end] == kept[i]) ++end;
      if (kept[i]) {
        runs[std::min<size_t>(end - i, 4) - 1] += 1;
        total += 1;
      }
      i = end;
    }
    double chi_square = 0;
    double left = 1;
    for (size_t k = 0; k < 4; ++k) {
      const double probability = k == 3 ? left : left * rate;
      left -= probability;
      const double expected = total * probability;
      chi_square += (runs[k] - expected) * (runs[k] - expected) / expected;
    }
    EXPECT_LT(chi_square, 25) << seed;  // 3 degrees of freedom: once in 60000
  }
}

// Bytes of choices at rate 1/2: 256 equally likely patterns.
TEST(DropoutChance, PatternsAreEquallyLikely) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<bool> kept = draw(seed, 3, 0.5);
    std::vector<double> counts(256, 0.0);
    for (size_t i = 0; i < kept.size(); i += 8) {
      size_t pattern = 0;
      for (size_t bit = 0; bit < 8; ++bit) pattern = 2 * pattern + (kept[i + bit] ? 1 : 0);
      counts[pattern] += 1;
    }
    double chi_square = 0;
    for (const double count : counts) chi_square += (count - 32) * (count - 32) / 32;
    EXPECT_NEAR(chi_square, 255, 5 * std::sqrt(510.0)) << seed;
  }
}

TEST(DropoutStream, IsFixedByItsSeedAndRun) {
  const std::vector<bool> first = draw(1, 0, 0.5);
  EXPECT_NE(first, draw(1, 1, 0.5));
  EXPECT_NE(first, draw(2, 0, 0.5));
  EXPECT_EQ(first, draw(1, 0, 0.5));
}

// A step draws anew on every run, and two steps draw the same.
TEST(DropoutStep, AdvancesItsCounter) {
  OpSpec spec;
  spec.name = "dropout";
  spec.params.resize(2);
  spec.params[0].name = "pass";
  spec.params[0].kind = ParamKind::kChoice;
  spec.params[0].choices = {"forward"};
  spec.params[1].name = "rate";
  spec.params[1].kind = ParamKind::kNumber;
  const Case c = Case::parse("dropout pass=forward rate=0.5", spec);
  const auto masks = [&] {
    std::vector<Tensor> in;
    in.emplace_back(Shape{1000});
    std::ranges::fill(in[0].data(), 1.0f);
    std::vector<Tensor> out;
    out.emplace_back(Shape{1000});
    out.emplace_back(Shape{1000});
    const auto step = find_variant("dropout", "hwy")->prepare({c, in, out, 1, targets().front()});
    std::vector<std::vector<float>> drawn;
    for (int run = 0; run < 3; ++run) {
      step->run();
      drawn.emplace_back(step->output(1).begin(), step->output(1).end());
    }
    return drawn;
  };
  const auto first = masks();
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[1], first[2]);
  EXPECT_EQ(first, masks());
}

}  // namespace
}  // namespace nsop::kernels
