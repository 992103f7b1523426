#include "kernels/runtime/pages.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kernels/activations/sigmoid.h"
#include "kernels/elementwise/unary.h"
#include "kernels/norm/variance.h"
#include "kernels/probes/stream.h"
#include "kernels/reduce/arg.h"
#include "kernels/reduce/dot.h"
#include "kernels/reduce/reduce.h"
#include "kernels/runtime/nontemporal.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

// Whole groups of pages and some more.
constexpr size_t kMany = kPagedFrom + kPageGroup / 2 + 3;

// On every machine both ways, on every target.
class Pages : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  void SetUp() override {
    pin_target(std::get<0>(GetParam()));
    set_goes_as_intel(std::get<1>(GetParam()));
  }
  void TearDown() override {
    pin_target(targets().front());
    set_goes_as_intel(of_machine_);
  }

 private:
  bool of_machine_ = goes_by_pages();
};

TEST_P(Pages, LongArraysThatAreReadGoByPagesWhereTheMachineDoes) {
  EXPECT_EQ(paged_floats(kPagedFrom - 1), 0u);
  EXPECT_EQ(paged_floats(kMany), std::get<1>(GetParam()) ? kPagedFrom : 0u);
}

// Small integers: any order of adding them up is exact.
std::vector<float> integers(size_t count) {
  SplitMix64 random(3);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.next() % 5) - 2;
  return values;
}

double exact_sum(std::span<const float> x) {
  double sum = 0;
  for (const float v : x) sum += v;
  return sum;
}

TEST_P(Pages, MapsDoWhatShortOnesDo) {
  // Beyond the caches, so that stores stream by pages; pieces are within them.
  const size_t many = nontemporal_limit() / (2 * sizeof(float)) + kPageGroup / 2 + 3;
  const std::vector<float> x = random_floats(many, 1);
  const auto expect_same = [&](const auto& kernel) {
    GuardedFloats all(many);
    ASSERT_TRUE(use_nontemporal(2, many, all.span().data()));
    GuardedFloats pieces(many);
    kernel(std::span(x), all.span());
    for (size_t i = 0; i < many; i += kPagedFrom / 2) {
      const size_t count = std::min(kPagedFrom / 2, many - i);
      kernel(std::span(x).subspan(i, count), pieces.span().subspan(i, count));
    }
    for (size_t i = 0; i < many; ++i) ASSERT_EQ(all.span()[i], pieces.span()[i]) << i;
    EXPECT_TRUE(all.intact());
  };
  expect_same([](std::span<const float> in, std::span<float> out) {
    unary(Unary::kSquare, {}, in, out, shared_threads(1));
  });
  expect_same([](std::span<const float> in, std::span<float> out) {
    sigmoid_forward(in, out, shared_threads(1));
  });
}

TEST_P(Pages, FoldsTakeEveryElementOnce) {
  std::vector<float> x = integers(kMany);
  const AxisShape line{1, kMany, 1};
  float y = 0;
  const std::span<float> out(&y, 1);
  Reducer(Reduction::kSum, line).run(x, out, {}, shared_threads(1));
  EXPECT_EQ(y, exact_sum(x));
  Variance(line).run(x, out, {}, shared_threads(1));
  const double mean = exact_sum(x) / kMany;
  double squares = 0;
  for (const float v : x) squares += (v - mean) * (v - mean);
  // A chain of a block adds up a page at most, and each addition may be off by half a place.
  EXPECT_NEAR(y, squares / kMany, squares / kMany * kPageFloats * 0x1p-24);
  EXPECT_EQ(Dot(kMany).run(x, std::vector<float>(kMany, 2.0f), {}, shared_threads(1)),
            2 * exact_sum(x));
  std::vector<float> partial(16);
  EXPECT_EQ(stream_read(x, partial, shared_threads(1)), exact_sum(x));
  for (const size_t place : {size_t{0}, kPageFloats - 1, 3 * kPageFloats, kPagedFrom, kMany - 1}) {
    x[place] = 9;
    Reducer(Reduction::kMax, line).run(x, out, {}, shared_threads(1));
    EXPECT_EQ(y, 9) << place;
    ArgReducer(Extreme::kLargest, line).run(x, out, {}, shared_threads(1));
    EXPECT_EQ(y, static_cast<float>(place));
    x[place] = 0;
  }
}

TEST_P(Pages, StreamsWriteEveryElement) {
  const std::vector<float> x = integers(kMany);
  for (const Stores stores : {Stores::kPlain, Stores::kNontemporal}) {
    GuardedFloats y(kMany);
    stream_copy(x, y.span(), stores, shared_threads(1));
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.span().begin()));
    EXPECT_TRUE(y.intact());
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Pages,
                         testing::Combine(testing::ValuesIn(targets()), testing::Bool()),
                         [](const auto& given) {
                           return std::get<0>(given.param) +
                                  (std::get<1>(given.param) ? "AsIntel" : "AsOthers");
                         });

}  // namespace
}  // namespace nsop::kernels
