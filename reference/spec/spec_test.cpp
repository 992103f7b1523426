// What the specifications accept, refuse and state.
#include "reference/spec/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/error.h"
#include "harness/core/tensor/random.h"
#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

struct BadCase {
  std::string line, message;
};

class Refuses : public testing::TestWithParam<BadCase> {};

TEST_P(Refuses, WithOneClearLine) {
  const std::string message = refusal_of(GetParam().line);
  EXPECT_THAT(message, testing::HasSubstr(GetParam().message));
  EXPECT_THAT(message, testing::HasSubstr("expected"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Refuses,
    testing::Values(
        BadCase{"relu pass=forward n=100000x100000 range=-3:3", "relu: tensor n [100000x100000]"},
        BadCase{"relu pass=forward n=9000000000000000000x9000000000000000000 range=-3:3",
                "too large"},
        BadCase{"add n=2x2x2x2x2x2x2x2x2 b=1x2x1x2x1x2x1x2x1",
                "add: n=2x2x2x2x2x2x2x2x2 has 9 dimensions, expected at most 8"},
        BadCase{"maximum n=2x2x2x2x2x2x2x2x2", "maximum: n=2x2x2x2x2x2x2x2x2 has 9 dimensions"},
        BadCase{"relu pass=backward_data n=1 range=-3:3", "pass=backward_data"},
        BadCase{"relu pass=forward n=10", "'range' is missing"},
        BadCase{"matmul m=65536 n=65536 k=1 trans=nn", "matmul: tensor c [65536x65536]"},
        BadCase{"matmul m=1 n=1 k=1 trans=nx", "trans=nx"},
        BadCase{"dense pass=forward in=32 out=1 bias=0 w=oi", "in=32"},
        BadCase{"dense pass=forward in=65536x65536 out=1 bias=0 w=oi", "dense: tensor x"},
        BadCase{"conv2d pass=forward in=1x1x4x4 out=1 k=7 s=1 p=1 bias=0",
                "conv2d: kernel of 7x7 (k=7 d=1) is larger than the padded input of 6x6"},
        BadCase{"conv2d pass=forward in=1x1x4x4 out=1 k=3 s=1 p=0 bias=0 d=2", "kernel of 5x5"},
        BadCase{"conv2d pass=forward in=1x3x4x4 out=2 k=3 s=1 p=1 bias=0 groups=2",
                "3 input channels (in=1x3x4x4) don't divide into groups=2"},
        BadCase{"conv2d pass=forward in=1x4x4x4 out=3 k=3 s=1 p=1 bias=0 groups=2",
                "out=3 output channels don't divide into groups=2"},
        BadCase{"conv2d pass=forward in=1x1x4x4 out=1 k=3 s=1 p=9000000000000000000 bias=0",
                "p=9000000000000000000 is too large"},
        BadCase{"conv2d pass=forward in=64x3x1024x1024 out=64 k=3 s=1 p=1 bias=0",
                "conv2d: tensor y [64x64x1024x1024]"}));

TEST(CanonicalText, LeavesAbsentValuesOut) {
  EXPECT_EQ(parse_case("conv2d groups=1 d=1 reduce=none range=-1:1 bias=1 p=1 s=1 k=3 out=128 "
                       "in=8x64x32x32 pass=forward")
                .text(),
            "conv2d pass=forward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1");
  EXPECT_EQ(parse_case("conv2d pass=forward in=1x2x5x5 out=2 k=3 s=1 p=1 bias=0 range=0:1 "
                       "reduce=mean groups=2 d=2")
                .text(),
            "conv2d pass=forward in=1x2x5x5 out=2 k=3 s=1 p=1 bias=0 d=2 groups=2 reduce=mean "
            "range=0:1");
  EXPECT_EQ(parse_case("matmul m=64 n=64 k=64 trans=nn range=-1:1").text(),
            "matmul m=64 n=64 k=64 trans=nn");
}

TEST(Work, OfTheReportedConvolution) {
  const Case forward = parse_case("conv2d pass=forward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1");
  const Op& op = *find_op("conv2d");
  EXPECT_EQ(op.work(forward).macs, 603979776);
  EXPECT_EQ(op.work(forward).flops, 2 * 603979776.0);
  EXPECT_EQ(op.work(forward).bytes, 4 * (524288.0 + 73728 + 128 + 1048576));
  const Case backward = parse_case("conv2d pass=backward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1");
  EXPECT_EQ(op.work(backward).macs, 2 * 603979776.0);
}

TEST(Work, OfTheOtherOps) {
  const auto work = [](const std::string& line) {
    const Case c = parse_case(line);
    return find_op(c.op())->work(c);
  };
  EXPECT_EQ(work("matmul m=2 n=3 k=5 trans=tn").flops, 60);
  EXPECT_EQ(work("dense pass=forward in=32x256 out=512 bias=1 w=oi").macs, 4194304);
  EXPECT_EQ(work("dense pass=backward in=1x1024 out=32 bias=1 w=oi").macs, 2 * 32768);
  EXPECT_EQ(work("relu pass=forward n=32x512 range=-3:3").flops, 16384);
  EXPECT_EQ(work("relu pass=backward n=10 range=-3:3").bytes, 120);
  EXPECT_EQ(work("tanh pass=forward n=10 range=-3:3").flops, 50);
  EXPECT_EQ(work("sigmoid pass=forward n=10 range=-3:3").flops, 80);
}

TEST(SavedOutput, IsWhatTheForwardPassGives) {
  const Case c = parse_case("tanh pass=backward n=100 range=2:3");
  const auto inputs = make_inputs(*find_op("tanh"), c, 1);
  for (const float y : inputs[0].data()) {
    EXPECT_GE(y, static_cast<float>(std::tanh(2.0)));
    EXPECT_LE(y, static_cast<float>(std::tanh(3.0)));
  }
}

// The model of spec.cpp against what float sums do: the largest error of many sums stays below the
// tolerance, and not so far below that a wrong result would hide.
struct SumModel {
  Uniform a, b;
  double slack;  // the tolerance may be so many times the largest error
};

double largest_error(int terms, Uniform a, Uniform b) {
  SplitMix64 generator(42);
  double largest = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    float sum = 0;
    double exact = 0;
    for (int i = 0; i < terms; ++i) {
      const auto x = static_cast<float>(a.lo + (a.hi - a.lo) * generator.uniform());
      const auto y = static_cast<float>(b.lo + (b.hi - b.lo) * generator.uniform());
      sum += x * y;
      exact += static_cast<double>(x) * y;
    }
    largest = std::max(largest, std::fabs(sum - exact));
  }
  return largest;
}

TEST(AccumulationTolerance, BoundsFloatSumsWithoutHidingErrors) {
  for (const auto& [a, b, slack] :
       {SumModel{{-1, 1}, {-1, 1}, 10}, SumModel{{-3, 3}, {-0.1, 0.1}, 10},
        SumModel{{0, 1}, {0, 1}, 10}, SumModel{{0.9, 1}, {-1, 1}, 10}}) {
    for (const int terms : {9, 100, 2000}) {
      const double error = largest_error(terms, a, b);
      const Tolerance tolerance = accumulation_tolerance(terms, a, b);
      EXPECT_LT(error, tolerance.absolute) << terms << " terms of " << a.lo << ":" << a.hi;
      EXPECT_GT(slack * error, tolerance.absolute) << terms << " terms of " << a.lo << ":" << a.hi;
    }
  }
}

TEST(AccumulationTolerance, OfSymmetricRangesIsTheRule) {
  const Tolerance t = accumulation_tolerance(576, {-2, 2}, {-0.5, 0.5});
  EXPECT_DOUBLE_EQ(t.absolute, 8 * 0x1p-24 * 576 * 2 * 0.5 / 3);
  EXPECT_DOUBLE_EQ(t.relative, 4 * 0x1p-23);
}

}  // namespace
}  // namespace nsop::reference
