// No header: what is no report is refused by document.h, or read without harm.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/audit/read/document.h"
#include "harness/audit/testing/audit_support.h"
#include "harness/core/error.h"

namespace nsop::audit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kWrong = "2.0x faster (10.0 s \u2192 2.0 s).";

std::string refusal(const std::string& text) {
  try {
    audit(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kBadData);
    return e.what();
  }
  return "";
}

std::string repeated(const std::string& piece, size_t times) {
  std::string out;
  out.reserve(piece.size() * times);
  for (size_t i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(BadInput, IsRefusedInOneLine) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal(" \n\t\n"), HasSubstr("empty"));
  EXPECT_THAT(refusal(std::string("\x7f"
                                  "ELF\0\1",
                                  6)),
              HasSubstr("zero bytes"));
  EXPECT_THAT(refusal(std::string("\xff\xfe"
                                  "a\0",
                                  4)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(refusal(std::string("\xfe\xff\0a", 4)), HasSubstr("UTF-16"));
  EXPECT_THAT(refusal(std::string(kMostBytes + 1, 'a')), HasSubstr("bytes, more than"));
  EXPECT_THAT(refusal(std::string(1 << 20, 'a')), HasSubstr("line 1 has 1048576 bytes"));
}

TEST(BadInput, NestingIsRefused) {
  for (const char* piece : {">", "> ", "- ", "* ", "1. ", "[", "*", "_", "`", "<a ", "~~", "|"}) {
    EXPECT_THAT(refusal("ok\n\n" + repeated(piece, 40000) + "a"),
                HasSubstr("line 3 is nested deeper"))
        << piece;
    EXPECT_THAT(refusal(repeated(piece, 1000000) + "a"), HasSubstr("line 1")) << piece;
  }
  // Deeper with every line.
  std::string list;
  for (size_t i = 0; i < 1500; ++i) list += std::string(i * 2, ' ') + "- a\n";
  EXPECT_THAT(kinds_of(list), ElementsAre());
  EXPECT_THAT(kinds_of(std::string(3000, '-') + "\n\n" + kWrong),
              ElementsAre("3 wrong"));  // a rule
}

TEST(BadInput, EncodingsAndLineEnds) {
  EXPECT_THAT(kinds_of("\xef\xbb\xbf" + kWrong), ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("# a\r\n\r\n" + kWrong + "\r\n"), ElementsAre("3 wrong"));
  EXPECT_THAT(kinds_of("# a\r\r" + kWrong + "\r"), ElementsAre("3 wrong"));
  EXPECT_THAT(kinds_of("\x1b[31m2.0x\x1b[0m faster (10.0 s \u2192 \x1b[1m2.0 s\x1b[0m)."),
              ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("\xff\xc3 " + kWrong), ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("a\n\n\x1b["), ElementsAre());
}

TEST(BadInput, TablesOfAnySize) {
  std::string page = "|Case|Before|After|Speedup|\n|-|-|-|-|\n";
  for (int i = 0; i < 50000; ++i) page += fmt::format("|c{}|10.0 ms|5.0 ms|2.0x|\n", i);
  page += "|last|10.0 ms|5.0 ms|3.0x|\n";
  size_t right = 0, wrong = 0;
  for (const Finding& f : audit(page)) {
    right += f.kind == Kind::kRight;
    wrong += f.kind == Kind::kWrong && f.line == 50003;
  }
  EXPECT_EQ(right, 50000u);
  EXPECT_EQ(wrong, 1u);
}

TEST(BadInput, CellsThatLackOrExceedColumns) {
  EXPECT_THAT(
      kinds_of("|a|Before|After|Speedup|\n|-|-|-|-|\n|x|\n|y|1 ms|2 ms|3 ms|4 ms|5.0x|\n|\n"),
      ElementsAre());
  EXPECT_THAT(kinds_of("| | |\n|-|-|\n| | |\n"), ElementsAre());
  EXPECT_THAT(kinds_of("| a | 2.0x |\n| b |"), testing::Contains("1 not_checkable"));
}

TEST(BadInput, NumbersOfAnySize) {
  EXPECT_THAT(kinds_of("2x faster (" + std::string(500, '9') + " s -> 1e999 s)."),
              ElementsAre("1 not_checkable"));
  EXPECT_THAT(kinds_of("2.0x faster (0 s -> 0 s)."), ElementsAre("1 not_checkable"));
  EXPECT_THAT(kinds_of("2.0x faster (-3.0 s -> 5.0 s)."), ElementsAre("1 not_checkable"));
}

// Any part of a document is a document, or is refused.
RC_GTEST_PROP(BadInputProperty, TruncatedAnywhere, ()) {
  static const std::string kWhole = test_document("layers.md") + test_document("versions.md");
  const auto end = *rc::gen::inRange<size_t>(1, kWhole.size());
  int last = 0;
  for (const Finding& f : audit(kWhole.substr(0, end))) {
    RC_ASSERT(f.line >= last);
    last = f.line;
  }
}

RC_GTEST_PROP(BadInputProperty, AnyTextIsReadOrRefused, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("|", "-", "\n", "2x", " faster ", "5 ms", "->", "(", ")", "#",
                                    "* ", "100 %", "a", "was ", "[1, 2]", "\xe2\x86"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  try {
    for (const Finding& f : audit(text)) RC_ASSERT(f.line >= 1);
  } catch (const Error& e) {
    RC_ASSERT(e.code() == ExitCode::kBadData);
  }
}

}  // namespace
}  // namespace nsop::audit
