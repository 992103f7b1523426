#include "harness/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// What accuses, with shares, of a document of testdata: `line kind figure`.
std::vector<std::string> accused(const std::string& name) {
  std::vector<std::string> out;
  for (const Finding& f : audit(test_document(name))) {
    if (accuses(f.kind) || f.kind == Kind::kShareWithoutParts) {
      out.push_back(std::to_string(f.line) + " " + kind_text(f.kind) + " " + f.figure);
    }
  }
  return out;
}

TEST(Audit, OfLayersBeforeAndAfter) {
  EXPECT_THAT(accused("layers.md"),
              ElementsAre("24 wrong 74.5%",             // 314,159 was read as 314
                          "31 direction \u2705 FIXED",  // 6.9x slower than line 44
                          "32 wrong 5.4s",              // 5.31
                          "34 unlike_cases 464x",       // the 4.2 ms are of another row
                          "37 wrong 2025-03-07",        // not the latest run
                          "42 direction 0.10x",         // 10x slower
                          "46 direction 2.2KB",         // more, not less
                          "51 wrong 3.20x",             // 3.08x, as the table says
                          "53 share_without_parts 5 %", "54 unlike_cases 4x16x32x32"));
  const std::vector<Finding> all = audit(test_document("layers.md"));
  EXPECT_THAT(at_line(all, 24)[1].note,
              HasSubstr("99.97 % (less); the printed figure is what a number"));
  EXPECT_THAT(at_line(all, 51)[0].note, HasSubstr("3.08x"));
  EXPECT_EQ(at_line(all, 23)[0].kind, Kind::kRight);  // 2.50x
  EXPECT_EQ(at_line(all, 23)[1].kind, Kind::kRight);  // 20.0 %
  EXPECT_EQ(at_line(all, 35)[0].kind, Kind::kRight);  // 46 % less time
}

TEST(Audit, OfALogOfVersions) {
  EXPECT_THAT(accused("versions.md"),
              ElementsAre("8 unlike_cases 150.00ms",  // 400 moves a second leave 2.5 ms for one
                          "21 wrong 310x",            // 300x
                          "24 wrong 99x",             // 97x
                          "25 unlike_cases 300x"));   // line 24 is against v1.1, this against v1.0
  const std::vector<Finding> all = audit(test_document("versions.md"));
  EXPECT_THAT(at_line(all, 25)[0].note, HasSubstr("240.0x"));
  EXPECT_EQ(at_line(all, 6)[0].kind, Kind::kRight);   // 100 games in 40 s
  EXPECT_EQ(at_line(all, 26)[0].kind, Kind::kRight);  // the arrow is in another encoding
}

TEST(Audit, OfATableThatLostItsHeader) {
  EXPECT_THAT(accused("operations.md"),
              ElementsAre("8 wrong 5.00x", "12 wrong 500K", "13 share_without_parts 86.5%"));
  EXPECT_THAT(kinds_of(test_document("operations.md")), Contains("6 right"));
}

TEST(Audit, OfADefinitionAndGoals) {
  EXPECT_THAT(kinds_of(test_document("guide.md")),
              ElementsAre("4 direction", "5 right", "9 not_checkable"));
}

}  // namespace
}  // namespace nsop::audit
