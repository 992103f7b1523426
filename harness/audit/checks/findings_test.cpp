#include "harness/audit/checks/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nsop::audit {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<Finding> kThree = {{3, Kind::kRight, "2x", "a"},
                                     {4, Kind::kWrong, "3x", "100 %: b\n::error::c"},
                                     {5, Kind::kShareWithoutParts, "4 %", "d"}};

TEST(Findings, AsText) {
  const std::string text = as_text("r.md", kThree, false);
  EXPECT_THAT(text, HasSubstr("r.md:4: wrong: 3x: 100 %: b"));
  EXPECT_THAT(text, Not(HasSubstr("r.md:3:")));
  EXPECT_THAT(text,
              HasSubstr("r.md: 1 right, 0 rounded, 1 wrong, 0 unlike cases, 0 direction confused, "
                        "1 share without its parts, 0 not checkable\n"));
  EXPECT_THAT(as_text("r.md", kThree, true), HasSubstr("r.md:3: right: 2x: a\n"));
}

TEST(Findings, AsJson) {
  const Json json = as_json("r.md", kThree);
  EXPECT_EQ(json["counts"]["wrong"], 1);
  EXPECT_EQ(json["findings"].size(), 3u);
  EXPECT_EQ(json["findings"][1]["kind"], "wrong");
  EXPECT_EQ(json["findings"][1]["line"], 4);
}

// A text of the document begins no command of its own.
TEST(Findings, AsAnnotations) {
  const std::string text = as_annotations("a,b:c.md", kThree);
  EXPECT_THAT(text, HasSubstr("::error file=a%2Cb%3Ac.md,line=4,title=wrong::3x: 100 %25: b"));
  EXPECT_THAT(text, HasSubstr("::warning file=a%2Cb%3Ac.md,line=5,"));
  EXPECT_THAT(text, Not(HasSubstr("\n::error::c")));
  EXPECT_THAT(text, Not(HasSubstr("line=3")));
}

TEST(Findings, InOrderAndOnce) {
  std::vector<Finding> all = {
      {9, Kind::kRight, "1x", "a"}, {2, Kind::kWrong, "2x", "b"}, {9, Kind::kRight, "1x", "a"}};
  put_in_order(all);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].line, 2);
}

}  // namespace
}  // namespace nsop::audit
