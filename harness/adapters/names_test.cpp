#include "harness/adapters/names.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "harness/core/case.h"
#include "harness/core/error.h"

namespace nsop::adapters {
namespace {

TEST(Names, KeepWhatCasesDoNotUse) {
  EXPECT_EQ(encoded("BM_Copy<int>/8"), "BM_Copy%3Cint%3E/8");
  EXPECT_EQ(encoded("a b,\"c\"\n"), "a%20b%2C%22c%22%0A");
  EXPECT_EQ(encoded("100%"), "100%25");
  EXPECT_EQ(encoded("BenchmarkX/k=v"), "BenchmarkX/k=v");
  EXPECT_EQ(encoded("h\xc3\xb6her"), "h%C3%B6her");
}

TEST(Names, AreRefusedWhereNobodyWritesThemSo) {
  for (const char* text : {"%", "%4", "%3c", "%41", "a b", "x%GG", "%00%"}) {
    EXPECT_THAT([&] { decoded(text); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("is no encoded name")))
        << text;
  }
}

RC_GTEST_PROP(Names, ComeBackAndAreOneValueOfACase, (const std::string& name)) {
  RC_PRE(!name.empty());
  const std::string text = encoded(name);
  RC_ASSERT(decoded(text) == name);
  const OpSpec spec{"bench", "", {{"name", ParamKind::kChoice, {text}, 0, {}}}};
  const std::vector<Case> cases = expand_cases("bench name=" + text, spec);
  RC_ASSERT(cases.size() == 1u);
  RC_ASSERT(cases[0].str("name") == text);
  RC_ASSERT(case_matches(cases[0].text(), "bench name=" + text));
}

}  // namespace
}  // namespace nsop::adapters
