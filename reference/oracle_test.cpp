// The oracles against sums done by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/registry.h"
#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(Oracle, Relu) {
  EXPECT_THAT(evaluate("relu pass=forward n=3 range=-3:3", {{-2, 0, 3}})[0].data,
              ElementsAre(0, 0, 3));
  EXPECT_THAT(evaluate("relu pass=backward n=3 range=-3:3", {{-2, 0, 3}, {5, 6, 7}})[0].data,
              ElementsAre(0, 0, 7));
}

TEST(Oracle, Tanh) {
  EXPECT_THAT(
      evaluate("tanh pass=forward n=3 range=-3:3", {{-1, 0, 2}})[0].data,
      Pointwise(testing::DoubleNear(1e-15), {-0.76159415595576485, 0.0, 0.96402758007581688}));
  EXPECT_THAT(evaluate("tanh pass=backward n=2 range=-3:3", {{0.5, -1}, {2, 3}})[0].data,
              ElementsAre(1.5, 0));
}

TEST(Oracle, Sigmoid) {
  EXPECT_THAT(evaluate("sigmoid pass=forward n=3 range=-3:3", {{0, 1, -800}})[0].data,
              Pointwise(testing::DoubleNear(1e-15), {0.5, 0.73105857863000488, 0.0}));
  EXPECT_THAT(evaluate("sigmoid pass=backward n=2 range=-3:3", {{0.5, 0.25}, {2, 16}})[0].data,
              ElementsAre(0.5, 3));
}

// [1 2 3; 4 5 6] * [1 0; 0 1; 2 -1]
TEST(Oracle, MatmulInAllLayouts) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};
  const std::vector<float> at = {1, 4, 2, 5, 3, 6};
  const std::vector<float> b = {1, 0, 0, 1, 2, -1};
  const std::vector<float> bt = {1, 0, 2, 0, 1, -1};
  const auto product = ElementsAre(7, -1, 16, -1);
  EXPECT_THAT(evaluate("matmul m=2 n=2 k=3 trans=nn", {a, b})[0].data, product);
  EXPECT_THAT(evaluate("matmul m=2 n=2 k=3 trans=nt", {a, bt})[0].data, product);
  EXPECT_THAT(evaluate("matmul m=2 n=2 k=3 trans=tn", {at, b})[0].data, product);
  EXPECT_THAT(evaluate("matmul m=2 n=2 k=3 trans=tt", {at, bt})[0].data, product);
}

TEST(Oracle, MatmulWithBiasActivationAndBatch) {
  const auto c = evaluate("matmul m=1 n=2 k=2 trans=nn batch=2 bias=1 act=relu",
                          {{1, 2, 3, 4}, {1, 0, 0, 1, -1, 1, -1, 0}, {10, -3}});
  EXPECT_THAT(c[0].data, ElementsAre(11, 0, 3, 0));
  const auto gelu = evaluate("matmul m=1 n=2 k=1 trans=nn act=gelu", {{1}, {1, -2}});
  EXPECT_THAT(gelu[0].data,
              Pointwise(testing::DoubleNear(1e-12), {0.841191990608277, -0.045402305912225}));
}

TEST(Oracle, DenseInBothLayouts) {
  const std::vector<float> x = {1, 2};
  const std::vector<float> oi = {1, 0, 3, 4, -1, 5};
  const std::vector<float> io = {1, 3, -1, 0, 4, 5};
  const std::vector<float> b = {10, 20, 30};
  const auto y = ElementsAre(11, 31, 39);
  EXPECT_THAT(evaluate("dense pass=forward in=1x2 out=3 bias=1 w=oi", {x, oi, b})[0].data, y);
  EXPECT_THAT(evaluate("dense pass=forward in=1x2 out=3 bias=1 w=io", {x, io, b})[0].data, y);
}

TEST(Oracle, DenseBackward) {
  const std::vector<float> x = {1, 2};
  const std::vector<float> oi = {1, 0, 3, 4, -1, 5};
  const std::vector<float> dy = {1, 2, 3};
  const auto g = evaluate("dense pass=backward in=1x2 out=3 bias=1 w=oi", {x, oi, dy});
  EXPECT_THAT(g[0].data, ElementsAre(4, 23));
  EXPECT_THAT(g[1].data, ElementsAre(1, 2, 2, 4, 3, 6));
  EXPECT_THAT(g[2].data, ElementsAre(1, 2, 3));
}

// A kernel that picks the pixel to the upper left: cross-correlation, no flip.
TEST(Oracle, ConvolutionDoesNotFlipItsKernel) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<float> upper_left = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(
      evaluate("conv2d pass=forward in=1x1x3x3 out=1 k=3 s=1 p=1 bias=0", {x, upper_left})[0].data,
      ElementsAre(0, 0, 0, 0, 1, 2, 0, 4, 5));
}

TEST(Oracle, ConvolutionWithStrideAndBias) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(
      evaluate("conv2d pass=forward in=1x1x3x3 out=2 k=1 s=2 p=0 bias=1", {x, {1, -1}, {10, 20}})[0]
          .data,
      ElementsAre(11, 13, 17, 19, 19, 17, 13, 11));
}

TEST(Oracle, ConvolutionWithDilation) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(
      evaluate("conv2d pass=forward in=1x1x3x3 out=1 k=2 s=1 p=0 bias=0 d=2", {x, {1, 1, 1, 1}})[0]
          .data,
      ElementsAre(1 + 3 + 7 + 9));
}

TEST(Oracle, GroupsSeeOnlyTheirChannels) {
  EXPECT_THAT(evaluate("conv2d pass=forward in=1x4x1x1 out=2 k=1 s=1 p=0 bias=0 groups=2",
                       {{1, 2, 3, 4}, {1, 1, 1, 10}})[0]
                  .data,
              ElementsAre(3, 43));
}

TEST(Oracle, MeanIsTheAverageOfAllPixels) {
  EXPECT_THAT(evaluate("conv2d pass=forward in=1x1x2x2 out=2 k=1 s=1 p=0 bias=1 reduce=mean",
                       {{1, 2, 3, 6}, {1, 2}, {0.5, 0}})[0]
                  .data,
              ElementsAre(3.5, 6));
  const auto g = evaluate("conv2d pass=backward in=1x1x2x2 out=1 k=1 s=1 p=0 bias=1 reduce=mean",
                          {{1, 2, 3, 6}, {2}, {8}});
  EXPECT_THAT(g[0].data, ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(g[1].data, ElementsAre(24));
  EXPECT_THAT(g[2].data, ElementsAre(8));
}

TEST(Oracle, ConvolutionsOfOneAndThreeAxes) {
  EXPECT_THAT(evaluate("conv1d pass=forward in=1x1x4 out=1 k=3 s=1 p=1 bias=1",
                       {{1, 2, 3, 4}, {1, 0, -1}, {10}})[0]
                  .data,
              ElementsAre(8, 8, 8, 13));
  const std::vector<float> cube = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(evaluate("conv3d pass=forward in=1x1x2x2x2 out=1 k=2 s=1 p=0 bias=0",
                       {cube, {1, 0, 0, 0, 0, 0, 0, 10}})[0]
                  .data,
              ElementsAre(81));
  // Only the tap at (0, 0, 1) of the kernel, with the last pixel of y in the padding of x.
  EXPECT_THAT(evaluate("conv3d pass=forward in=1x1x1x1x2 out=1 k=2 s=2 p=1 bias=0",
                       {{3, 4}, {0, 0, 0, 0, 0, 0, 1, 2}})[0]
                  .data,
              ElementsAre(6, 4));
}

// Each x spreads w over y, `stride` apart; they meet where kernels overlap.
TEST(Oracle, TransposedConvolution) {
  EXPECT_THAT(evaluate("conv2d_transpose pass=forward in=1x1x1x2 out=1 k=3 s=2 p=1 bias=1 op=1",
                       {{1, 10}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {100}})[0]
                  .data,
              ElementsAre(105, 100 + 6 + 40, 150, 160, 108, 100 + 9 + 70, 180, 190));
}

TEST(Oracle, PartialBackwardPassesEqualTheWhole) {
  const std::string dims = " in=2x4x5x6 out=6 k=3 s=2 p=1 bias=1 groups=2";
  const Case whole = parse_case("conv2d pass=backward" + dims);
  const auto in = make_inputs(*find_op("conv2d"), whole, 7);
  const auto floats = [&](size_t i) {
    return std::vector<float>(in[i].data().begin(), in[i].data().end());
  };
  const auto all = evaluate(whole.text(), {floats(0), floats(1), floats(2)});
  const auto data = evaluate("conv2d pass=backward_data" + dims, {floats(1), floats(2)});
  const auto weights = evaluate("conv2d pass=backward_weights" + dims, {floats(0), floats(2)});
  EXPECT_EQ(all[0].data, data[0].data);
  EXPECT_EQ(all[1].data, weights[0].data);
  EXPECT_EQ(all[2].data, weights[1].data);
}

}  // namespace
}  // namespace nsop::reference
