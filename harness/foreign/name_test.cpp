#include "harness/foreign/name.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "harness/core/case.h"
#include "harness/core/text.h"

namespace nsop::foreign {
namespace {

TEST(ForeignName, IsOneWordOfTheCaseGrammarThatReadsWell) {
  EXPECT_EQ(case_text("google-benchmark", {{"name", "BM_copy<float>/64/threads:2"}}),
            "foreign tool=google-benchmark name=BM_copy<float>/64/threads:2");
  EXPECT_EQ(percent_encoded("a b=c,d%e*f|g"), "a%20b%3Dc%2Cd%25e%2Af%7Cg");
  EXPECT_EQ(percent_encoded("a\nb\x1b[31m\"'"), "a%0Ab%1B[31m%22'");
  EXPECT_EQ(percent_encoded("gr\xc3\xb6\xc3\x9f"
                            "e"),
            "gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(percent_encoded("\xff"), "%FF");                // no UTF-8
  EXPECT_EQ(percent_encoded("\xe2\x80\xae"), "%E2%80%AE");  // turns the direction of writing
}

TEST(ForeignName, OnlyWhatEncodingWritesIsDecoded) {
  for (const char* text : {"%", "%4", "%zz", "%2f", "%41", "a b", "a=b"}) {
    EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_case_text("relu pass=forward n=1"), std::nullopt);
  EXPECT_EQ(parse_case_text("foreign name=x"), std::nullopt);
  EXPECT_EQ(parse_case_text("foreign tool=x tool=y"), std::nullopt);
}

RC_GTEST_PROP(ForeignName, GivesAnyNameBack, (const std::string& tool)) {
  const auto identity = *rc::gen::arbitrary<Identity>();
  for (const auto& [key, value] : identity) RC_PRE(!key.empty() && key != "tool");
  const std::string text = case_text(tool, identity);
  const auto back = parse_case_text(text);
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->tool == tool);
  RC_ASSERT(back->identity == identity);
  RC_ASSERT(printable(text) == text);
  RC_ASSERT(case_op(text) == kForeignOp);
}

}  // namespace
}  // namespace nsop::foreign
