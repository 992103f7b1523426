// Reductions, softmax and layout ops against results done by hand; what their specifications
// refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

const std::vector<float> kMatrix = {1, -5, 3, 4, 2, -6};  // 2x3

std::vector<double> of_matrix(const std::string& op, const std::string& axis) {
  return evaluate(op + " n=2x3 axis=" + axis, {kMatrix})[0].data;
}

TEST(ReductionOracle, AlongEveryAxis) {
  EXPECT_THAT(of_matrix("sum", "all"), ElementsAre(-1));
  EXPECT_THAT(of_matrix("sum", "0"), ElementsAre(5, -3, -3));
  EXPECT_THAT(of_matrix("sum", "1"), ElementsAre(-1, 0));
  EXPECT_THAT(of_matrix("max", "1"), ElementsAre(3, 4));
  EXPECT_THAT(of_matrix("min", "0"), ElementsAre(1, -5, -6));
  EXPECT_THAT(of_matrix("argmax", "1"), ElementsAre(2, 0));
  EXPECT_THAT(of_matrix("argmin", "0"), ElementsAre(0, 0, 1));
  EXPECT_THAT(of_matrix("argmin", "all"), ElementsAre(5));
  EXPECT_THAT(of_matrix("norm_l1", "1"), ElementsAre(9, 12));
  EXPECT_THAT(of_matrix("norm_linf", "1"), ElementsAre(5, 6));
  EXPECT_THAT(of_matrix("mean", "1"), ElementsAre(-1.0 / 3, 0));
  EXPECT_THAT(of_matrix("variance", "0"), ElementsAre(2.25, 12.25, 20.25));
  EXPECT_EQ(evaluate("norm_l2 n=2 axis=0", {{3, 4}})[0].data[0], 5);
}

TEST(ReductionOracle, NanAndTies) {
  EXPECT_EQ(evaluate("argmax n=4 axis=0", {{1, 3, 3, 2}})[0].data[0], 1);
  EXPECT_EQ(evaluate("argmax n=4 axis=0", {{1, kNan, 3, kNan}})[0].data[0], 1);
  for (const char* op : {"sum", "max", "min", "norm_l1", "norm_l2", "norm_linf", "mean"}) {
    const auto y = evaluate(op + std::string(" n=3 axis=all"), {{1, kNan, 2}});
    EXPECT_TRUE(std::isnan(y[0].data[0])) << op;
  }
}

TEST(ReductionOracle, MeanBackwardSpreads) {
  EXPECT_THAT(evaluate("mean pass=backward n=2x2 axis=0", {{4, 6}})[0].data,
              ElementsAre(2, 3, 2, 3));
  EXPECT_THAT(evaluate("mean pass=backward n=2x2 axis=1", {{4, 6}})[0].data,
              ElementsAre(2, 2, 3, 3));
}

TEST(ReductionOracle, Dot) {
  EXPECT_EQ(evaluate("dot n=3", {{1, 2, 3}, {4, -5, 6}})[0].data[0], 12);
}

TEST(ReductionOracle, Matvec) {
  EXPECT_THAT(evaluate("matvec m=2 n=3 trans=n", {kMatrix, {1, 0, 2}})[0].data, ElementsAre(7, -8));
  EXPECT_THAT(evaluate("matvec m=2 n=3 trans=t", {kMatrix, {1, 2}})[0].data,
              ElementsAre(9, -1, -9));
}

TEST(SoftmaxOracle, ByHand) {
  const float log3 = std::log(3.0F);
  const auto near = [](double v) { return testing::DoubleNear(v, 1e-7); };
  EXPECT_THAT(evaluate("softmax pass=forward n=2 axis=0", {{1000, 1000 + log3}})[0].data,
              ElementsAre(testing::DoubleNear(0.25, 1e-5), testing::DoubleNear(0.75, 1e-5)));
  EXPECT_THAT(evaluate("softmax pass=forward n=2x2 axis=0", {{0, 1, log3, 1}})[0].data,
              ElementsAre(near(0.25), near(0.5), near(0.75), near(0.5)));
  EXPECT_THAT(evaluate("log_softmax pass=forward n=2 axis=0", {{0, 0}})[0].data,
              ElementsAre(near(-std::log(2)), near(-std::log(2))));
  EXPECT_THAT(evaluate("softmax pass=backward n=2 axis=0", {{0.25, 0.75}, {4, 0}})[0].data,
              ElementsAre(near(0.75), near(-0.75)));
  EXPECT_TRUE(std::isnan(evaluate("softmax pass=forward n=2 axis=0", {{-kInf, -kInf}})[0].data[0]));
}

TEST(LayoutOracle, MovesElements) {
  EXPECT_THAT(evaluate("transpose n=2x3", {kMatrix})[0].data, ElementsAre(1, 4, -5, 2, 3, -6));
  EXPECT_THAT(evaluate("permute n=1x2x3 perm=201", {kMatrix})[0].data,
              ElementsAre(1, 4, -5, 2, 3, -6));
  EXPECT_THAT(evaluate("concat a=2x1 b=2x2 axis=1", {{1, 2}, {3, 4, 5, 6}})[0].data,
              ElementsAre(1, 3, 4, 2, 5, 6));
  EXPECT_THAT(evaluate("pad n=1x2 axis=all before=1 after=0 value=7", {{1, 2}})[0].data,
              ElementsAre(7, 7, 7, 7, 1, 2));
  EXPECT_THAT(evaluate("pad n=2x1 axis=1 before=0 after=1", {{1, 2}})[0].data,
              ElementsAre(1, 0, 2, 0));
}

TEST(AxisSpecification, RefusesWhatDoesntFit) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal_of("sum n=3x5 axis=2"), HasSubstr("n=3x5 has no axis 2, expected axis < 2"));
  EXPECT_THAT(refusal_of("softmax pass=forward n=3 axis=all"), HasSubstr("axis=all"));
  EXPECT_THAT(refusal_of("argmax n=20000000 axis=all"), HasSubstr("expected at most 2^24"));
  EXPECT_THAT(refusal_of("permute n=3x5 perm=012"), HasSubstr("expected 2 digits"));
  EXPECT_THAT(refusal_of("permute n=3x5 perm=00"), HasSubstr("perm=00"));
  EXPECT_THAT(refusal_of("transpose n=3x5x7"), HasSubstr("n=3x5x7"));
  EXPECT_THAT(refusal_of("concat a=3x5 b=4x6 axis=1"), HasSubstr("expected shapes that differ"));
  EXPECT_THAT(refusal_of("pad n=3 axis=1 before=0 after=0"), HasSubstr("has no axis 1"));
  EXPECT_THAT(refusal_of("pad n=1000x1000 axis=all before=1000000 after=0"),
              HasSubstr("too large"));
  EXPECT_THAT(refusal_of("dot n=3000000000"), HasSubstr("too large"));
}

TEST(AxisSpecification, LeavesAbsentValuesOut) {
  EXPECT_EQ(parse_case("mean pass=forward n=3x5 axis=0 range=-1:1").text(), "mean n=3x5 axis=0");
  EXPECT_EQ(parse_case("pad n=3 axis=all before=0 after=1 value=0").text(),
            "pad n=3 axis=all before=0 after=1");
}

}  // namespace
}  // namespace nsop::reference
