#include "layers/apps/dqn2048/functional.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace nsop::layers::functional {
namespace {

constexpr std::array<float, 6> kValues = {1, -2, 3, 0.5, 0.25, -1};

std::vector<float> values(const Tensor& t) { return {t->data().begin(), t->data().end()}; }

class Functional : public testing::TestWithParam<bool> {
 protected:
  Buffers buffers_{GetParam()};
};

TEST(Pool, CountsWhatItHadAndWhatItKeeps) {
  Buffers pool(true);
  auto first = pool.take(10), second = pool.take(10);
  pool.give_back(std::move(first), 10);
  EXPECT_EQ(pool.counts().retained_bytes, 10 * sizeof(float));
  first = pool.take(20);  // of another size
  EXPECT_EQ(pool.counts().hits, 0U);
  EXPECT_EQ(pool.counts().misses, 3U);
  const auto again = pool.take(10);
  EXPECT_EQ(pool.counts().hits, 1U);
  EXPECT_EQ(pool.counts().retained_bytes, 0U);
  pool.give_back(std::move(second), 10);
  pool.forget_counts();
  EXPECT_EQ(pool.counts().hits + pool.counts().misses, 0U);
  EXPECT_EQ(pool.counts().retained_bytes, 10 * sizeof(float));  // they are still there
}

TEST(Pool, KeepsAHundredOfASize) {
  Buffers pool(true);
  for (int i = 0; i < 120; ++i) pool.give_back(std::make_unique_for_overwrite<float[]>(3), 3);
  EXPECT_EQ(pool.counts().retained_bytes, 100 * 3 * sizeof(float));
}

TEST_P(Functional, OperationsLeaveTheirArgumentsAlone) {
  const Tensor a = tensor(buffers_, 2, 3, kValues);
  EXPECT_EQ(values(transpose(a)), (std::vector<float>{1, 0.5, -2, 0.25, 3, -1}));
  EXPECT_EQ(values(matmul(a, transpose(a))), (std::vector<float>{14, -3, -3, 1.3125}));
  EXPECT_EQ(values(relu(a)), (std::vector<float>{1, 0, 3, 0.5, 0.25, 0}));
  EXPECT_EQ(values(mean(a)), (std::vector<float>{1.75F / 6}));
  EXPECT_EQ(values(a), (std::vector<float>(kValues.begin(), kValues.end())));
}

// loss = mean((relu(x W^T + b) + x W^T)^2), by central differences.
TEST_P(Functional, GradientsAreThoseOfTheLoss) {
  const std::array<float, 6> x = {0.5, -1, 2, 1, 0.75, -0.5};
  std::array<float, 8> p = {1, -0.5, 2, 0.25, 1.5, -1, 0.3F, -0.2F};
  const auto loss = [&] {
    const std::span<const float> all(p);
    const Tensor w = parameter(buffers_, 2, 3, all.first(6));
    const Tensor b = parameter(buffers_, 1, 2, all.last(2));
    const Tensor y = matmul(tensor(buffers_, 2, 3, x), transpose(w));
    const Tensor z = add(relu(add(y, b)), y);
    const Tensor l = mean(mul(z, z));
    const std::array<Tensor, 2> wanted = {w, b};
    return std::pair(double{l->data()[0]}, gradients(l, wanted));
  };
  const auto found = loss().second;
  for (size_t i = 0; i < p.size(); ++i) {
    const float middle = p[i];
    p[i] = middle + 0x1p-7F;
    const double above = loss().first;
    p[i] = middle - 0x1p-7F;
    const double below = loss().first;
    p[i] = middle;
    const float got = i < 6 ? found[0]->data()[i] : found[1]->data()[i - 6];
    EXPECT_NEAR(got, (above - below) * 0x1p6, 2e-4) << i;
  }
}

// What gradients are computed of is not kept alive by them: with moments of them a whole training
// would be.
TEST_P(Functional, GradientsHaveNoGraph) {
  const Tensor w = parameter(buffers_, 2, 3, kValues);
  const Tensor y = matmul(tensor(buffers_, 1, 2, std::span(kValues).first(2)), w);
  const Tensor loss = mean(mul(y, y));
  const auto found = gradients(loss, {&w, 1});
  EXPECT_TRUE(found[0]->parents.empty());
  EXPECT_FALSE(loss->parents.empty());
}

INSTANTIATE_TEST_SUITE_P(Buffers, Functional, testing::Bool());

TEST(Buffers, APoolGivesAnOldBufferAgainAndFreshOnesAreFreed) {
  Buffers pooled(true);
  const float* first = nullptr;
  {
    const Tensor a = tensor(pooled, 2, 3, kValues);
    first = a->data().data();
  }
  EXPECT_EQ(tensor(pooled, 3, 2, kValues)->data().data(), first);
  EXPECT_NE(tensor(pooled, 1, 2, std::span(kValues).first(2))->data().data(), first);
}

}  // namespace
}  // namespace nsop::layers::functional
