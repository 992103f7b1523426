#include "harness/core/text.h"

#include <gmock/gmock.h>

namespace nsop {
namespace {

TEST(Text, IsSplitJoinedAndTrimmed) {
  EXPECT_THAT(split("a,,b", ','), testing::ElementsAre("a", "", "b"));
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(trim(" \ta b\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, CharactersAreDecodedAndMalformedBytesAreOneEach) {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3";
  std::vector<uint32_t> characters;
  for (size_t at = 0; at < text.size();) characters.push_back(next_character(text, at));
  EXPECT_THAT(characters, testing::ElementsAre('a', 0xe9, 0x20ac, 0x1f600, kMalformed, kMalformed));
  for (const char* malformed : {"\xc0\x80", "\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80"}) {
    size_t at = 0;
    EXPECT_EQ(next_character(malformed, at), kMalformed);
    EXPECT_EQ(at, 1u);
  }
}

TEST(Text, WhatControlsATerminalIsReplaced) {
  EXPECT_EQ(printable("a\x1b[31mb\n\x7f\xc2\x9b\xe2\x80\xae"), "a?[31mb????");
  EXPECT_EQ(printable("\xff\xe2\x82"), "???");
  EXPECT_EQ(printable("h\xc3\xb6r \xef\xbf\xbd"), "h\xc3\xb6r \xef\xbf\xbd");
}

TEST(Text, AMessageIsOneBoundedLineAndNoCommandOfARunner) {
  EXPECT_EQ(message_line("one\ntwo\r\n\tthree\n"), "one two   three");
  EXPECT_EQ(message_line("\n ::error::gone"), ": :error::gone");
  EXPECT_EQ(message_line("x ##[error]y ##[group]"), "x ## [error]y ## [group]");
  EXPECT_EQ(message_line("std::vector"), "std::vector");
  std::string groups;
  for (int i = 0; i < 1200; ++i) groups += "##[";
  EXPECT_LE(message_line(groups).size(), 4100u) << "what is said against them makes it longer";
  EXPECT_EQ(message_line(groups).find("##["), std::string::npos);
  const std::string longest = message_line(std::string(5000, 'x'));
  EXPECT_EQ(longest, std::string(4000, 'x') + "... (1000 more bytes)");
  std::string euros;
  while (euros.size() < 5000) euros += "\xe2\x82\xac";
  EXPECT_EQ(message_line(euros).find('?'), std::string::npos) << "no character is cut apart";
}

}  // namespace
}  // namespace nsop
