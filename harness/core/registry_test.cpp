#include "harness/core/registry.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "harness/core/error.h"

namespace nsop {
namespace {

Op double_op() {
  Op op;
  op.spec = {"double", "y = 2x", {{"n", ParamKind::kCount, {}, 0, {}}}};
  op.validate = [](const Case& c) {
    if (c.integer("n") > 1000) throw usage_error("double: n: expected at most 1000");
  };
  op.inputs = [](const Case& c) {
    return std::vector<InputSpec>{{"x", {c.integer("n")}, -2, 3}, {"z", {c.integer("n")}, 0, 1}};
  };
  return op;
}
const OpRow row{double_op()};

TEST(RegistryTest, ParsesAgainstTheRegisteredOp) {
  EXPECT_EQ(parse_case("double n=7").text(), "double n=7");
  EXPECT_THROW(parse_case("double n=1001"), Error);
  EXPECT_THAT([] { parse_case("duoble n=7"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("did you mean 'double'?")));
}

TEST(RegistryTest, InputsDependOnCaseNameAndSeedOnly) {
  const Op& op = *find_op("double");
  const Case c = parse_case("double n=500");
  const auto a = make_inputs(op, c, 1), b = make_inputs(op, c, 1), other = make_inputs(op, c, 2);
  EXPECT_TRUE(std::ranges::equal(a[0].data(), b[0].data()));
  EXPECT_FALSE(std::ranges::equal(a[0].data(), other[0].data()));
  EXPECT_FALSE(std::ranges::equal(a[0].data(), a[1].data()));
  for (const float v : a[0].data()) {
    EXPECT_GE(v, -2);
    EXPECT_LE(v, 3);
    EXPECT_NE(v, 0);
  }
  const auto [lo, hi] = std::ranges::minmax(a[0].data());
  EXPECT_LT(lo, -1.9);
  EXPECT_GT(hi, 2.9);
}

Variant twin() {
  Variant variant;
  variant.op = "double";
  variant.name = "twin";
  return variant;
}

TEST(RegistryDeathTest, AnOpThatIsRegisteredTwiceAborts) {
  EXPECT_DEATH(OpRow(double_op(), "a/second.cpp"),
               "^nsop: op 'double' is registered twice, in .*harness/core/registry_test.cpp and in "
               "a/second.cpp: rename or remove one\n$");
}

TEST(RegistryDeathTest, AVariantThatIsRegisteredTwiceAborts) {
  EXPECT_DEATH(
      {
        const VariantRow first(twin(), "a/first.cpp");
        const VariantRow second(twin());
      },
      "^nsop: variant 'twin' of 'double' is registered twice, in a/first.cpp and in "
      ".*harness/core/registry_test.cpp: rename or remove one\n$");
}

TEST(RegistryTest, UnknownNamesAreNull) {
  EXPECT_EQ(find_op("triple"), nullptr);
  EXPECT_EQ(find_variant("double", "hwy"), nullptr);
}

}  // namespace
}  // namespace nsop
