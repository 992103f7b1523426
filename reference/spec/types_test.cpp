// Numbers of 16 bits, and what a type changes of an op.
#include "reference/spec/types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/error.h"

namespace nsop::reference {
namespace {

const StoredType& bf16() { return stored_type("bf16"); }
const StoredType& f16() { return stored_type("f16"); }

TEST(StoredTypes, HaveTheRoundingsThatTheirBitsGive) {
  EXPECT_EQ(bf16().unit_roundoff(), 0x1p-8);
  EXPECT_EQ(f16().unit_roundoff(), 0x1p-11);
  EXPECT_EQ(rounded_to(bf16(), 1 + 0x1p-8), 1) << "halfway: to the even one";
  EXPECT_EQ(rounded_to(bf16(), 1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(rounded_to(f16(), 1 + 0x1p-11), 1);
  EXPECT_EQ(rounded_to(f16(), 1 + 0x1.1p-11), 1 + 0x1p-10);
  EXPECT_EQ(rounded_to(f16(), -2049), -2048);
}

TEST(StoredTypes, RoundToTheirDenormalsAndToInfinity) {
  EXPECT_EQ(rounded_to(f16(), 0x1p-24), 0x1p-24);
  EXPECT_EQ(rounded_to(f16(), 0x1p-25), 0) << "halfway to zero, which is even";
  EXPECT_EQ(rounded_to(f16(), 0x1.8p-24), 0x1p-23);
  EXPECT_EQ(rounded_to(f16(), 65519), 65504);
  EXPECT_EQ(rounded_to(f16(), 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded_to(f16(), -1e9), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded_to(bf16(), 1e38), rounded_to(bf16(), rounded_to(bf16(), 1e38)));
  EXPECT_TRUE(std::isnan(rounded_to(bf16(), std::numeric_limits<double>::quiet_NaN())));
}

// float32 is a type whose rounding the language knows.
RC_GTEST_PROP(StoredTypes, RoundToFloat32AsACastDoes, (double value)) {
  RC_PRE(std::isfinite(value));
  RC_ASSERT(rounded_to(stored_type("f32"), value) ==
            static_cast<double>(static_cast<float>(value)));
}

RC_GTEST_PROP(StoredTypes, NoNumberOfTheTypeIsNearer, (float value)) {
  RC_PRE(std::isfinite(value));
  for (const StoredType* type : {&bf16(), &f16()}) {
    if (std::fabs(value) > type->largest) continue;
    const double got = rounded_to(*type, value);
    RC_ASSERT(rounded_to(*type, got) == got);
    const double step = value == 0 ? 0
                                   : std::max(std::ldexp(1.0, std::ilogb(value) - type->digits + 1),
                                              type->denormal);
    RC_ASSERT(std::fabs(got - value) <= step / 2);
  }
}

TEST(Types, AreLeftOutOfTheTextWhereTheyAreFloat32) {
  EXPECT_EQ(parse_case("relu pass=forward n=10 range=-1:1 type=f32").text(),
            parse_case("relu pass=forward n=10 range=-1:1").text());
  EXPECT_EQ(parse_case("relu pass=forward n=10 range=-1:1 type=bf16").text(),
            "relu pass=forward n=10 range=-1:1 type=bf16");
}

TEST(Types, InputsAreNumbersOfTheTypeAndMoveHalfTheBytes) {
  const Op& op = *find_op("tanh");
  for (const char* type : {"bf16", "f16"}) {
    for (const char* pass : {"forward", "backward"}) {
      const std::string line = std::string("tanh pass=") + pass + " n=100 range=-3:3";
      const Case c = parse_case(line + " type=" + type);
      for (const Tensor& tensor : make_inputs(op, c, 1)) {
        for (const float value : tensor.data()) {
          ASSERT_EQ(rounded_to(stored_type(type), value), value) << c.text();
        }
      }
      EXPECT_EQ(op.work(c).bytes, op.work(parse_case(line)).bytes / 2);
      EXPECT_EQ(op.work(c).flops, op.work(parse_case(line)).flops);
    }
  }
}

TEST(Types, AToleranceIsThatOfFloat32AndOneRounding) {
  const Op& op = *find_op("relu");
  const Tolerance whole = tolerances_of(op, parse_case("relu pass=forward n=10 range=-1:1"))[0];
  EXPECT_EQ(whole.relative, 0) << "exact";
  const Tolerance half =
      tolerances_of(op, parse_case("relu pass=forward n=10 range=-1:1 type=f16"))[0];
  EXPECT_EQ(half.relative, 0x1p-11);
  EXPECT_EQ(half.absolute, 0x1p-25);
}

TEST(Types, ARangeBeyondTheTypeIsRefused) {
  try {
    parse_case("relu pass=forward n=10 range=-70000:70000 type=f16");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_EQ(std::string(error.what()),
              "relu: range=-70000:70000 is beyond what f16 holds, expected at most 65504");
  }
  EXPECT_NO_THROW(parse_case("relu pass=forward n=10 range=-70000:70000 type=bf16"));
}

}  // namespace
}  // namespace nsop::reference
