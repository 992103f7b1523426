#include "harness/audit/read/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nsop::audit {
namespace {

using testing::ElementsAre;

TEST(Document, TablesWithTheirLines) {
  const Document d = read_document("# A\n\n## B\n\n|x|**y**|\n|-|-|\n|1|`2`|\n|3|a \\| b|\n");
  ASSERT_EQ(d.tables.size(), 1u);
  EXPECT_EQ(d.tables[0].line, 5);
  EXPECT_EQ(d.tables[0].above, "A / B");
  EXPECT_THAT(d.tables[0].header, ElementsAre("x", "y"));
  ASSERT_EQ(d.tables[0].rows.size(), 2u);
  EXPECT_EQ(d.tables[0].rows[1].line, 8);
  EXPECT_THAT(d.tables[0].rows[0].cells, ElementsAre("1", "`2`"));
  EXPECT_THAT(d.tables[0].rows[1].cells, ElementsAre("3", "a | b"));
}

TEST(Document, ATableThatEndsAParagraphStandsOnItsOwnLines) {
  const Document d = read_document("# T\n\nSome text.\nMore: text.\n|a|b|\n|-|-|\n|1|2|\n");
  ASSERT_EQ(d.tables.size(), 1u);
  EXPECT_EQ(d.tables[0].line, 5);
  EXPECT_EQ(d.tables[0].rows[0].line, 7);
  ASSERT_EQ(d.statements.size(), 3u);
  EXPECT_EQ(d.statements[1].line, 3);
  EXPECT_EQ(d.statements[2].line, 4);
  const Document lost = read_document("# \n|x|y|\np|||||\n-|-|-|-|-");
  ASSERT_EQ(lost.tables.size(), 2u);
  EXPECT_EQ(lost.tables[0].line, 2);
  EXPECT_EQ(lost.tables[1].line, 3);
}

TEST(Document, RowsWithoutAHeader) {
  const Document d = read_document("### R\n| 1 | a |\n| 2 | b |\nText\n");
  ASSERT_EQ(d.tables.size(), 1u);
  EXPECT_TRUE(d.tables[0].header.empty());
  EXPECT_EQ(d.tables[0].line, 2);
  EXPECT_THAT(d.tables[0].rows[1].cells, ElementsAre("2", "b"));
  ASSERT_EQ(d.statements.size(), 2u);
  EXPECT_EQ(d.statements[1].text, "Text");
  EXPECT_EQ(d.statements[1].line, 4);
}

TEST(Document, StatementsAreSentencesAndLabelledLines) {
  const Document d =
      read_document("One goes\non. Two e.g. this one.\n**Date:** now\n**Rate:** 3\n");
  ASSERT_EQ(d.statements.size(), 4u);
  EXPECT_EQ(d.statements[0].text, "One goes on.");
  EXPECT_EQ(d.statements[0].line, 1);
  EXPECT_EQ(d.statements[1].text, "Two e.g. this one.");
  EXPECT_EQ(d.statements[1].line, 2);
  EXPECT_EQ(d.statements[3].label, "Rate");
  EXPECT_EQ(d.statements[3].line, 4);
}

TEST(Document, ItemsKnowWhereTheyLie) {
  const Document d = read_document("1. **Top**:\n   - inner 1\n   - inner 2\n2. next\n");
  ASSERT_EQ(d.statements.size(), 4u);
  EXPECT_EQ(d.statements[2].within, "Top:");
  EXPECT_EQ(d.statements[1].list, d.statements[2].list);
  EXPECT_NE(d.statements[1].list, d.statements[3].list);
  EXPECT_EQ(d.statements[3].within, "");
}

TEST(Document, CodeIsNoStatement) {
  EXPECT_TRUE(read_document("```\n2x faster (1 s -> 5 s)\n```\n").statements.empty());
}

TEST(Document, LinesOfCode) {
  const Document document = read_document("a\n\n```sh\nmake\n\nmake test\n```\n\n    indented\n");
  ASSERT_EQ(document.code.size(), 3u);
  EXPECT_EQ(document.code[1].text, "make test");
  EXPECT_EQ(document.code[1].line, 6);
  EXPECT_EQ(document.code[2].line, 9);
}

TEST(Document, PlainCharacters) {
  EXPECT_EQ(plain("1\u202f234 ms, 5\u00a0ms, 5\u00a01234"), "1,234 ms, 5 ms, 5 1234");
  EXPECT_EQ(plain("3 \u00b5s \u2192 2\u00d73 \u22121 \u20132"), "3 us -> 2x3 -1 -2");
}

}  // namespace
}  // namespace nsop::audit
