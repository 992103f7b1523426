#include "kernels/runtime/nontemporal.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/core/host/host.h"
#include "kernels/activations/activation.h"
#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/unary.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST(Nontemporal, BeginsBeyondThreeQuartersOfTheLargestCache) {
  EXPECT_EQ(nontemporal_limit({{"L1d", 32 << 10}, {"L2", kMiB}, {"L3", 16 * kMiB}}), 12 * kMiB);
  EXPECT_EQ(nontemporal_limit({{"L1d", 64 << 10}, {"L2", 12 * kMiB}}), 9 * kMiB);
}

TEST(Nontemporal, CountsNoMoreOfACacheThanAGuestMayHave) {
  EXPECT_EQ(nontemporal_limit({{"L2", kMiB}, {"L3", 32 * kMiB}}), 24 * kMiB);
  EXPECT_EQ(nontemporal_limit({{"L2", 2 * kMiB}, {"L3", 105 * kMiB}}), 24 * kMiB);
  EXPECT_EQ(nontemporal_limit(std::map<std::string, int64_t>{}), 24 * kMiB);
}

TEST(Nontemporal, IsThatOfThisMachine) {
  EXPECT_EQ(nontemporal_limit(), nontemporal_limit(read_host().cache_bytes));
}

TEST(Nontemporal, IsForAlignedOutputsBeyondTheLimit) {
  GuardedFloats out(17);
  const float* aligned = out.span().data();
  const size_t most = nontemporal_limit() / (2 * sizeof(float));
  EXPECT_FALSE(use_nontemporal(2, most, aligned));
  EXPECT_TRUE(use_nontemporal(2, most + 1, aligned));
  EXPECT_TRUE(use_nontemporal(3, most, aligned));
  EXPECT_FALSE(use_nontemporal(2, most + 1, aligned + 1));
}

TEST(Nontemporal, CountsNoOperandThatIsOneElementForAll) {
  const std::vector<float> all(9), one(1);
  const std::span<const float> x = all, alpha = one;
  EXPECT_EQ(arrays_of(std::array{x}, 9), 2);
  EXPECT_EQ(arrays_of(std::array{x, x}, 9), 3);
  EXPECT_EQ(arrays_of(std::array{x, alpha}, 9), 2);
  EXPECT_EQ(arrays_of(std::array{alpha, x, alpha}, 9), 2);
}

class NontemporalStores : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { pin_target(GetParam()); }
  void TearDown() override { pin_target(targets().front()); }
};

// Runs a part with plain and with nontemporal stores: the same bits, and nothing around them.
template <class Part>
void expect_same_bits(const Part& part) {
  for (const size_t n : {1, 15, 1000, 4096, 9001}) {
    GuardedFloats plain(n);
    GuardedFloats nontemporal(n);
    part(plain.span().data(), n, ElementwiseArgs{.p0 = 0.5f, .p1 = 0, .nontemporal = false});
    part(nontemporal.span().data(), n, ElementwiseArgs{.p0 = 0.5f, .p1 = 0, .nontemporal = true});
    for (size_t i = 0; i < n; ++i)
      ASSERT_EQ(plain.span()[i], nontemporal.span()[i]) << n << " " << i;
    EXPECT_TRUE(nontemporal.intact());
  }
}

TEST_P(NontemporalStores, WriteWhatPlainOnesDo) {
  const std::vector<float> a = random_floats(9001, 1);
  const std::vector<float> b = random_floats(9001, 2);
  for (const UnaryPart part : {arithmetic_part(Unary::kAbs), exp_log_part(Unary::kExp),
                               activation_part(Activation::kSilu)}) {
    expect_same_bits(
        [&](float* y, size_t n, const ElementwiseArgs& args) { part(a.data(), y, n, args); });
  }
  const BinaryParts add = binary_parts(Binary::kAdd);
  for (const BinaryPart part :
       {add.moving, add.fixed, activation_gradient_part(Activation::kElu)}) {
    expect_same_bits([&](float* y, size_t n, const ElementwiseArgs& args) {
      part(a.data(), b.data(), y, n, args);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, NontemporalStores, testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace nsop::kernels
