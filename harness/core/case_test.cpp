#include "harness/core/case.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

using testing::HasSubstr;

OpSpec conv_spec() {
  return {"conv",
          "a test op",
          {{"pass", ParamKind::kChoice, {"forward", "backward"}, 0, {}},
           {"in", ParamKind::kShape, {}, 4, {}},
           {"k", ParamKind::kCount, {}, 0, {}},
           {"p", ParamKind::kIndex, {}, 0, {}},
           {"bias", ParamKind::kFlag, {}, 0, {}},
           {"d", ParamKind::kCount, {}, 0, "1"},
           {"range", ParamKind::kRange, {}, 0, "-1:1"}}};
}

std::string case_error(std::string_view line) {
  try {
    expand_cases(line, conv_spec());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(CaseTest, CanonicalTextHasTheOpsOrderAndLeavesAbsentValuesOut) {
  const Case c = Case::parse("conv  bias=1 p=00 k=3 in=8x64x032x32 d=1 pass=forward range=-1:1.0",
                             conv_spec());
  EXPECT_EQ(c.text(), "conv pass=forward in=8x64x32x32 k=3 p=0 bias=1");
  EXPECT_EQ(c.integer("d"), 1);
  EXPECT_EQ(c.shape("in"), (std::vector<int64_t>{8, 64, 32, 32}));
  EXPECT_EQ(c.range("range"), std::pair(-1.0, 1.0));
  EXPECT_TRUE(c.flag("bias"));
}

TEST(CaseTest, PresentValueOfALaterKeyIsPartOfTheIdentity) {
  const Case c = Case::parse("conv pass=forward in=1x1x1x1 k=3 p=0 bias=0 d=2", conv_spec());
  EXPECT_EQ(c.text(), "conv pass=forward in=1x1x1x1 k=3 p=0 bias=0 d=2");
}

TEST(CaseTest, SweepsExpandInOrderLastKeyFastest) {
  const auto cases =
      expand_cases("conv pass=forward,backward in=1x1x8x8 k=1,3 p=0 bias=0", conv_spec());
  ASSERT_EQ(cases.size(), 4u);
  EXPECT_EQ(cases[1].text(), "conv pass=forward in=1x1x8x8 k=3 p=0 bias=0");
  EXPECT_EQ(cases[2].text(), "conv pass=backward in=1x1x8x8 k=1 p=0 bias=0");
}

TEST(CaseTest, ErrorsSayWhatWasExpected) {
  EXPECT_THAT(case_error(""), HasSubstr("empty case"));
  EXPECT_THAT(case_error("conv in=1x1x8x8 k=1 p=0 bias=0"), HasSubstr("key 'pass' is missing"));
  EXPECT_THAT(case_error("conv pass=forwards in=1x1x8x8 k=1 p=0 bias=0"),
              HasSubstr("expected one of forward, backward"));
  EXPECT_THAT(case_error("conv pass=forward in=1x8x8 k=1 p=0 bias=0"),
              HasSubstr("expected 4 positive integers joined by x"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=0 p=0 bias=0"),
              HasSubstr("expected a positive integer"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=1, p=0 bias=0"),
              HasSubstr("a sweep has an empty value"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k= p=0 bias=0"), HasSubstr("empty value"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=1 k=2 p=0 bias=0"),
              HasSubstr("given twice"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=1 p=0 biass=0"),
              HasSubstr("did you mean 'bias'?"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=1 p=0 bias=2"), HasSubstr("0 or 1"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=1 p=0 bias=0 range=3:1"),
              HasSubstr("lo:hi with lo < hi"));
  EXPECT_THAT(case_error("conv pass=forward in=1x1x8x8 k=1,1 p=0 bias=0"), HasSubstr("twice"));
  EXPECT_THAT(case_error("conv forward"), HasSubstr("expected key=value"));
  EXPECT_THAT(case_error("k=1 conv"), HasSubstr("expected an op first"));
  EXPECT_THAT(case_error("conv pass=forward in=99999999999999999999x1x1x1 k=1 p=0 bias=0"),
              HasSubstr("expected 4 positive integers"));
}

TEST(CaseTest, PatternsMatchKeysInAnyOrderWithWildcards) {
  const std::string text = "tanh pass=forward n=1000 range=-3:3";
  EXPECT_TRUE(case_matches(text, "tanh n=* pass=forward"));
  EXPECT_TRUE(case_matches(text, "* n=1*0"));
  EXPECT_FALSE(case_matches(text, "relu n=*"));
  EXPECT_FALSE(case_matches(text, "tanh pass=backward"));
  EXPECT_FALSE(case_matches(text, "tanh m=*"));
}

TEST(CaseTest, NearestSuggestsOnlyLikelyMistakes) {
  EXPECT_EQ(nearest("reul", {"relu", "tanh"}), "relu");
  EXPECT_EQ(nearest("rnu", {"report", "run"}), "run");
  EXPECT_EQ(nearest("sigmoid", {"relu", "tanh"}), std::nullopt);
}

RC_GTEST_PROP(CaseProperty, CanonicalTextParsesToItself, ()) {
  const auto number = [](int lo, int hi) { return *rc::gen::inRange(lo, hi); };
  const std::string line =
      "conv bias=" + std::to_string(number(0, 2)) +
      " pass=" + (number(0, 2) ? "forward" : "backward") + " in=" + std::to_string(number(1, 99)) +
      "x1x" + std::to_string(number(1, 9)) + "x7 k=" + std::to_string(number(1, 9)) +
      " p=" + std::to_string(number(0, 9)) + " d=" + std::to_string(number(1, 3));
  const Case once = Case::parse(line, conv_spec());
  const Case twice = Case::parse(once.text(), conv_spec());
  RC_ASSERT(once.text() == twice.text());
  RC_ASSERT(once.values() == twice.values());
}

RC_GTEST_PROP(CaseProperty, AnyTextEitherParsesOrIsAUsageError, (const std::string& junk)) {
  try {
    if (case_op(junk) == "conv") expand_cases(junk, conv_spec());
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ExitCode::kUsage);
  }
}

TEST(CaseTest, AGridThatWouldTakeAllMemoryIsRefusedBeforeItIsMade) {
  std::string list = "1";
  for (int i = 2; i <= 1000; ++i) list += "," + std::to_string(i);
  OpSpec spec{"grid", "", {}};
  std::string line = "grid";
  for (const char* key : {"a", "b", "c"}) {
    spec.params.push_back({key, ParamKind::kCount, {}, 0, {}});
    line += fmt::format(" {}={}", key, list);
  }
  try {
    expand_cases(line, spec);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("stands for more than 10000 cases"));
  }
}

TEST(CaseTest, NobodyMeantWhatIsThereAlready) {
  EXPECT_EQ(nearest("tanh", {"tanh"}), std::nullopt);
  EXPECT_EQ(nearest("tan", {"tanh"}), "tanh");
}

}  // namespace
}  // namespace nsop
