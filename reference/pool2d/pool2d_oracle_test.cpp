// The oracles of the pools against windows done by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

const std::vector<float> kNine = {1, 2, 3, 4, 9, 6, 7, 8, 5};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Pool2dOracle, MaximumAndItsIndex) {
  const auto out = evaluate("maxpool2d pass=forward in=1x1x3x3 k=2 s=1 p=0", {kNine});
  EXPECT_THAT(out[0].data, ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(out[1].data, ElementsAre(4, 4, 4, 4));
  const auto corners = evaluate("maxpool2d pass=forward in=1x1x3x3 k=2 s=2 p=1", {kNine});
  EXPECT_THAT(corners[0].data, ElementsAre(1, 3, 7, 9));
  EXPECT_THAT(corners[1].data, ElementsAre(0, 2, 6, 4));
}

TEST(Pool2dOracle, PaddingNeverWins) {
  const auto out =
      evaluate("maxpool2d pass=forward in=1x1x1x2 k=3 s=2 p=1", {{-kInfinity, -kInfinity}});
  EXPECT_THAT(out[0].data, ElementsAre(-kInfinity));
  EXPECT_THAT(out[1].data, ElementsAre(0));
}

TEST(Pool2dOracle, TheFirstNanWins) {
  const float nan = std::nanf("");
  const auto out = evaluate("maxpool2d pass=forward in=1x1x2x2 k=2 s=2 p=0", {{1, nan, nan, 2}});
  EXPECT_TRUE(std::isnan(out[0].data[0]));
  EXPECT_THAT(out[1].data, ElementsAre(1));
}

TEST(Pool2dOracle, MaximumBackwardAddsUpWhereWindowsOverlap) {
  const auto out = evaluate("maxpool2d pass=backward in=1x1x3x3 k=2 s=1 p=0",
                            {kNine, {4, 4, 4, 4}, {1, 2, 3, 4}});
  EXPECT_THAT(out[0].data, ElementsAre(0, 0, 0, 0, 10, 0, 0, 0, 0));
}

TEST(Pool2dOracle, AverageDividesByTheWholeWindow) {
  EXPECT_THAT(evaluate("avgpool2d pass=forward in=1x1x3x3 k=2 s=2 p=1", {kNine})[0].data,
              ElementsAre(0.25, 1.25, 2.75, 7));
  EXPECT_THAT(evaluate("avgpool2d pass=backward in=1x1x3x3 k=2 s=2 p=1", {{4, 8, 12, 16}})[0].data,
              ElementsAre(1, 2, 2, 3, 4, 4, 3, 4, 4));
}

TEST(Pool2dOracle, SavedIndexIsThatOfTheInput) {
  const Case c = parse_case("maxpool2d pass=backward in=2x3x7x6 k=3 s=2 p=1");
  const auto in = make_inputs(*find_op("maxpool2d"), c, 7);
  const auto forward = evaluate("maxpool2d pass=forward in=2x3x7x6 k=3 s=2 p=1",
                                {{in[0].data().begin(), in[0].data().end()}});
  EXPECT_TRUE(std::ranges::equal(in[1].data(), forward[1].data));
}

TEST(Pool2dOracle, AdaptiveWindowsShareTheirBorders) {
  EXPECT_THAT(evaluate("adaptive_avgpool2d pass=forward in=1x1x3x3 out=1x1", {kNine})[0].data,
              Pointwise(DoubleNear(1e-14), {5}));
  // Columns [0,2) and [1,3).
  EXPECT_THAT(evaluate("adaptive_avgpool2d pass=forward in=1x1x1x3 out=1x2", {{1, 2, 4}})[0].data,
              ElementsAre(1.5, 3));
  EXPECT_THAT(evaluate("adaptive_avgpool2d pass=backward in=1x1x1x3 out=1x2", {{2, 4}})[0].data,
              ElementsAre(1, 3, 2));
}

TEST(Pool2dOracle, AdaptiveMaximaHaveTheirPlaces) {
  // Columns [0,2) and [1,3): the first of equal values, the first NaN.
  const auto y =
      evaluate("adaptive_maxpool2d pass=forward in=1x1x2x3 out=1x2", {{1, 4, 4, 0, 4, 9}});
  EXPECT_THAT(y[0].data, ElementsAre(4, 9));
  EXPECT_THAT(y[1].data, ElementsAre(1, 5));
  const float nan = std::nanf("");
  EXPECT_THAT(
      evaluate("adaptive_maxpool2d pass=forward in=1x1x2x2 out=1x1", {{1, nan, nan, 9}})[1].data,
      ElementsAre(1));
  EXPECT_THAT(evaluate("adaptive_maxpool2d pass=backward in=1x1x1x3 out=1x2",
                       {{1, 5, 2}, {1, 1}, {2, 4}})[0]
                  .data,
              ElementsAre(0, 6, 0));
  EXPECT_THAT(refusal_of("adaptive_maxpool2d pass=forward in=1x1x8192x8192 out=1x1"),
              HasSubstr("expected at most 2^24 pixels"));
}

TEST(Pool2dOracle, RefusesWindowsWithoutAPixel) {
  EXPECT_THAT(refusal_of("avgpool2d pass=forward in=1x1x3x3 k=2 s=1 p=2"),
              HasSubstr("expected p < k"));
  EXPECT_THAT(refusal_of("maxpool2d pass=forward in=1x1x3x3 k=4 s=1 p=0"),
              HasSubstr("larger than the padded input"));
  EXPECT_THAT(refusal_of("maxpool2d pass=forward in=1x1x8192x8192 k=2 s=2 p=0"),
              HasSubstr("expected at most 2^24 pixels"));
  EXPECT_THAT(refusal_of("avgpool2d pass=forward in=1x1x3x3 k=2 s=9999999 p=0"),
              HasSubstr("too large"));
}

}  // namespace
}  // namespace nsop::reference
