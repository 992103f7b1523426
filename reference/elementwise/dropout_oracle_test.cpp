// The oracle of dropout, which judges a mask by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/check.h"
#include "harness/core/error.h"
#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

using testing::ElementsAre;

Tensor tensor_of(const std::vector<float>& values) {
  Tensor t({static_cast<int64_t>(values.size())});
  std::ranges::copy(values, t.data().begin());
  return t;
}

// Whether y and mask pass as outputs for x.
bool passes(const std::string& line, const std::vector<float>& x, const std::vector<float>& y,
            const std::vector<float>& mask) {
  const Case c = parse_case(line);
  const Op& op = *find_op("dropout");
  std::vector<Tensor> in;
  in.push_back(tensor_of(x));
  std::vector<Tensor> produced;
  produced.push_back(tensor_of(y));
  produced.push_back(tensor_of(mask));
  const auto expected = expected_outputs(op, c, in, produced);
  const auto tolerances = tolerances_of(op, c);
  return check_output("y", y, expected[0], tolerances[0]).ok &&
         check_output("mask", mask, expected[1], tolerances[1]).ok;
}

TEST(DropoutOracle, AcceptsAnyMaskOfTheTwoValues) {
  const std::string line = "dropout pass=forward n=4 rate=0.5";
  EXPECT_TRUE(passes(line, {1, 2, 3, 4}, {2, 0, 0, 8}, {2, 0, 0, 2}));
  EXPECT_TRUE(passes(line, {1, 2, 3, 4}, {0, 4, 6, 0}, {0, 2, 2, 0}));
}

TEST(DropoutOracle, RefusesOtherMasksAndOtherProducts) {
  const std::string line = "dropout pass=forward n=4 rate=0.5";
  EXPECT_FALSE(passes(line, {1, 2, 3, 4}, {2, 0, 0, 4}, {2, 0, 0, 1}));
  EXPECT_FALSE(passes(line, {1, 2, 3, 4}, {2, 0, 0, 4}, {2, 0, 0, 2}));
  EXPECT_FALSE(passes(line, {1, 2, 3, 4}, {2, 0, 3, 8}, {2, 0, 0, 2}));
  const float nan = std::nanf("");
  EXPECT_FALSE(passes(line, {1, 2, 3, 4}, {2, 0, 0, 8}, {2, 0, nan, 2}));
}

TEST(DropoutOracle, RefusesAnUnlikelyShare) {
  const std::string line = "dropout pass=forward n=1000 rate=0.25";
  const std::vector<float> x(1000, 3);
  const auto with_kept = [&](size_t kept) {
    std::vector<float> mask(1000, 0.0F);
    std::fill_n(mask.begin(), kept, 4.0F / 3);
    std::vector<float> y(mask);
    for (float& v : y) v *= 3;
    return passes(line, x, y, mask);
  };
  // 750 expected, deviation 13.7.
  EXPECT_TRUE(with_kept(750));
  EXPECT_TRUE(with_kept(690));
  EXPECT_FALSE(with_kept(680));
  EXPECT_FALSE(with_kept(820));
  EXPECT_FALSE(with_kept(1000));
}

// dx is the derivative of y = x * mask through x: the mask, times dy.
TEST(DropoutOracle, BackwardAppliesTheMask) {
  const Case c = parse_case("dropout pass=backward n=3 rate=0.5");
  std::vector<Tensor> in;
  in.push_back(tensor_of({0, 2, 2}));
  in.push_back(tensor_of({5, 6, 7}));
  EXPECT_THAT(expected_outputs(*find_op("dropout"), c, in, {})[0].data, ElementsAre(0, 12, 14));
}

TEST(DropoutOracle, GivenMasksHaveTheTwoValues) {
  const Case c = parse_case("dropout pass=backward n=1000 rate=0.2");
  const auto in = make_inputs(*find_op("dropout"), c, 3);
  const auto kept = std::ranges::count(in[0].data(), 1.25F);
  EXPECT_EQ(std::ranges::count(in[0].data(), 0.0F) + kept, 1000);
  EXPECT_NEAR(static_cast<double>(kept), 800, 65);
}

TEST(DropoutOracle, RefusesRatesThatAreNone) {
  EXPECT_THROW(parse_case("dropout pass=forward n=3 rate=1"), Error);
  EXPECT_THROW(parse_case("dropout pass=forward n=3 rate=-0.1"), Error);
}

}  // namespace
}  // namespace nsop::reference
