// The oracles of the recurrent cells against units done by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

double logistic_of(double x) { return 1 / (1 + std::exp(-x)); }

// Two units, so that gates of different units don't mix: i, f, g, o of each.
TEST(PointwiseOracle, LstmTakesItsGatesInOrder) {
  const auto out =
      evaluate("lstm_pointwise pass=forward n=1x2", {{1, 0, 2, 0, 0.5, 0, -1, 0}, {3, 0}});
  const double next = logistic_of(2) * 3 + logistic_of(1) * std::tanh(0.5);
  EXPECT_NEAR(out[1].data[0], next, 1e-14);
  EXPECT_NEAR(out[0].data[0], logistic_of(-1) * std::tanh(next), 1e-14);
  EXPECT_EQ(out[0].data[1], 0);
  EXPECT_EQ(out[1].data[1], 0);
}

TEST(PointwiseOracle, GruResetsOnlyThePartOfTheState) {
  const auto out = evaluate("gru_pointwise pass=forward n=1x1", {{1, 2, 0.5}, {-0.5, 1, 4}, {3}});
  const double r = logistic_of(0.5);
  const double z = logistic_of(3);
  EXPECT_NEAR(out[0].data[0], (1 - z) * std::tanh(0.5 + r * 4) + z * 3, 1e-14);
}

TEST(PointwiseOracle, SavedStateIsThatOfTheGates) {
  const Case c = parse_case("lstm_pointwise pass=backward n=2x3");
  const auto in = make_inputs(*find_op("lstm_pointwise"), c, 5);
  const auto floats = [&](size_t i) {
    return std::vector<float>(in[i].data().begin(), in[i].data().end());
  };
  const auto forward = evaluate("lstm_pointwise pass=forward n=2x3", {floats(0), floats(1)});
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(in[2].data()[i], forward[1].data[i], 1e-7);
}

}  // namespace
}  // namespace nsop::reference
