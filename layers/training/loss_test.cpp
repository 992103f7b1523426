// Losses against their definitions in double precision, and gradients against finite differences of
// those.
#include "layers/training/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/tensor/random.h"
#include "layers/testing/errors_support.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

using testing::HasSubstr;

// What a loss is given: predictions [n, c, inner] and its targets.
struct Problem {
  LossOptions options;
  Shape shape;
  std::vector<float> x, t;
};

Problem problem(const LossOptions& options, const Shape& shape, double range, uint64_t seed) {
  SplitMix64 random(seed);
  Problem p{options, shape, std::vector<float>(static_cast<size_t>(element_count(shape))), {}};
  for (float& x : p.x) x = static_cast<float>(range * (2 * random.uniform() - 1));
  const bool classes = options.kind == LossKind::kCrossEntropy;
  p.t.resize(classes ? p.x.size() / static_cast<size_t>(shape[1]) : p.x.size());
  for (float& t : p.t) {
    const double u = random.uniform();
    t = static_cast<float>(classes ? std::floor(u * static_cast<double>(shape[1])) : u);
  }
  return p;
}

// The term of one element, as textbooks write it.
double term(const LossOptions& options, double x, double t) {
  const double d = std::abs(x - t);
  switch (options.kind) {
    case LossKind::kMse:
      return d * d;
    case LossKind::kHuber:
      return d <= options.delta ? d * d / 2 : options.delta * (d - options.delta / 2.0);
    default:  // -log of the probability of either side
      return t * std::log1p(std::exp(-x)) + (1 - t) * std::log1p(std::exp(x));
  }
}

double cross_entropy(const Problem& p, const std::vector<double>& x) {
  const auto classes = static_cast<size_t>(p.shape[1]);
  const size_t inner = x.size() / classes / static_cast<size_t>(p.shape[0]);
  double sum = 0;
  for (size_t row = 0; row < p.t.size(); ++row) {
    const size_t first = row / inner * classes * inner + row % inner;
    double largest = x[first];
    for (size_t c = 0; c < classes; ++c) largest = std::max(largest, x[first + c * inner]);
    double total = 0;
    for (size_t c = 0; c < classes; ++c) total += std::exp(x[first + c * inner] - largest);
    sum += largest + std::log(total) - x[first + static_cast<size_t>(p.t[row]) * inner];
  }
  return sum;
}

double exact_value(const Problem& p, const std::vector<double>& x) {
  double sum = 0;
  if (p.options.kind == LossKind::kCrossEntropy) {
    sum = cross_entropy(p, x);
  } else {
    for (size_t i = 0; i < x.size(); ++i) sum += term(p.options, x[i], p.t[i]);
  }
  const bool mean = p.options.reduction == LossReduction::kMean;
  return mean ? sum / static_cast<double>(p.t.size()) : sum;
}

double finite_difference(const Problem& p, size_t i) {
  std::vector<double> x(p.x.begin(), p.x.end());
  constexpr double kStep = 1e-5;
  const double at = x[i];
  x[i] = at + kStep;
  const double above = exact_value(p, x);
  x[i] = at - kStep;
  return (above - exact_value(p, x)) / (2 * kStep);
}

struct Result {
  float value;
  std::vector<float> gradient;
};

Result run(const Problem& p, int threads = 1) {
  Loss loss(p.options);
  loss.init(p.shape, threads);
  Result result{0, std::vector<float>(p.x.size(), kNan)};
  result.value = loss.run(p.x, p.t, result.gradient);
  const float alone = loss.run(p.x, p.t, {});
  EXPECT_TRUE(alone == result.value || std::isnan(alone)) << "without a gradient";
  return result;
}

std::vector<LossOptions> all_losses() {
  std::vector<LossOptions> all;
  for (const LossKind kind :
       {LossKind::kMse, LossKind::kHuber, LossKind::kCrossEntropy, LossKind::kBinaryCrossEntropy}) {
    for (const LossReduction reduction : {LossReduction::kMean, LossReduction::kSum}) {
      all.push_back({kind, reduction, 0.5f});
    }
  }
  return all;
}

TEST(Loss, ValueAndGradientAreThoseOfTheDefinition) {
  for (const LossOptions& options : all_losses()) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{5, 3}, Shape{33, 10}, Shape{3, 4, 5},
                               Shape{2, 3, 2, 2}}) {
      const Problem p = problem(options, shape, 3, 7);
      const Result got = run(p);
      const std::string where = Loss(options).name() + " " + shape_text(shape);
      const double exact = exact_value(p, {p.x.begin(), p.x.end()});
      EXPECT_NEAR(got.value, exact, 2e-6 * std::max(1.0, std::abs(exact))) << where;
      for (size_t i = 0; i < p.x.size(); ++i) {
        EXPECT_NEAR(got.gradient[i], finite_difference(p, i), 2e-6) << where << " element " << i;
      }
    }
  }
}

TEST(Loss, LargeLogitsNeitherOverflowNorVanish) {
  const LossOptions binary{LossKind::kBinaryCrossEntropy, LossReduction::kSum, 1};
  const Result right = run({binary, {1, 2}, {20, -20}, {1, 0}});
  EXPECT_NEAR(right.value, 2 * std::log1p(std::exp(-20.0)), 1e-14);
  const Result wrong = run({binary, {1, 2}, {3e38f, -1e30f}, {1, 1}});
  EXPECT_FLOAT_EQ(wrong.value, 1e30f);
  EXPECT_EQ(wrong.gradient, (std::vector<float>{0, -1}));

  const LossOptions classes{LossKind::kCrossEntropy, LossReduction::kMean, 1};
  const Result peaks = run({classes, {2, 2}, {3e38f, -3e38f, 1000, 0}, {0, 1}});
  EXPECT_FLOAT_EQ(peaks.value, 500);
  EXPECT_EQ(peaks.gradient, (std::vector<float>{0, 0, 0.5f, -0.5f}));
}

// At |d| = delta both branches agree; one step beyond, the gradient doesn't grow any more.
TEST(Loss, HuberHoldsItsGradientAtTheKink) {
  const LossOptions huber{LossKind::kHuber, LossReduction::kSum, 2};
  const Result got = run({huber, {1, 5}, {2, -2, 2.5f, -100, 0}, {0, 0, 0, 0, 0}});
  EXPECT_EQ(got.gradient, (std::vector<float>{2, -2, 2, -2, 0}));
  EXPECT_FLOAT_EQ(got.value, 2 + 2 + 2 * 1.5f + 2 * 99);
}

TEST(Loss, ANanStaysWithItsElementOrRow) {
  for (const LossOptions& options : all_losses()) {
    Problem p = problem(options, {3, 4}, 1, 3);
    p.x[5] = kNan;
    const Result got = run(p);
    EXPECT_TRUE(std::isnan(got.value)) << Loss(options).name();
    for (size_t i = 0; i < 12; ++i) {
      const bool spoilt = options.kind == LossKind::kCrossEntropy ? i / 4 == 1 : i == 5;
      EXPECT_EQ(std::isnan(got.gradient[i]), spoilt) << Loss(options).name() << ' ' << i;
    }
  }
}

TEST(Loss, ThreadsChangeAValueByRoundingOnly) {
  for (const LossOptions& options : all_losses()) {
    const Problem p = problem(options, {300, 401}, 2, 11);
    const Result one = run(p), two = run(p, 2);
    EXPECT_EQ(one.gradient, two.gradient) << Loss(options).name();
    EXPECT_NEAR(one.value, two.value, 1e-5 * std::abs(one.value)) << Loss(options).name();
  }
}

TEST(Loss, RefusesWhatDoesNotFitAndStaysUsable) {
  Loss loss({LossKind::kCrossEntropy, LossReduction::kMean, 1});
  std::vector<float> x(6, 0), gradient(6);
  EXPECT_THAT(error_of([&] { loss.run(x, x, {}); }), HasSubstr("before init()"));
  EXPECT_THAT(error_of([&] { loss.init({6}); }), HasSubstr("[N, C, ...], given 6"));
  EXPECT_THAT(error_of([&] { loss.init({2, 0}); }), HasSubstr("given 2x0"));
  loss.init({2, 3});
  EXPECT_THAT(error_of([&] { loss.init({2, 3}, 0); }), HasSubstr("1 to 4096 threads, given 0"));
  EXPECT_THAT(error_of([&] { loss.run(x, x, gradient); }), HasSubstr("expected 6, 2 and 6"));
  for (const float t : {3.0f, -1.0f, 0.5f, kNan, 1e30f}) {
    const std::vector<float> targets = {0, t};
    EXPECT_THAT(error_of([&] { loss.run(x, targets, gradient); }),
                HasSubstr("expected a class number from 0 to 2"));
  }
  const std::vector<float> targets = {0, 2};
  EXPECT_FLOAT_EQ(loss.run(x, targets, gradient), std::log(3.0f));
  EXPECT_EQ(loss.target_shape(), (Shape{2}));
  EXPECT_THAT(error_of([] {
                Loss huber({LossKind::kHuber, LossReduction::kMean, 0});
              }),
              HasSubstr("delta is 0"));
}

}  // namespace
}  // namespace nsop::layers
