#include "harness/core/suite/releases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

using testing::HasSubstr;

std::string release(const std::string& name, const std::string& commit) {
  return "[[release]]\nname = \"" + name + "\"\ncommit = \"" + commit + "\"\n";
}

std::string refusal(const std::string& text) {
  try {
    parse_releases(text, "r.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(Releases, AreReadInTheOrderOfTheFile) {
  const auto read =
      parse_releases(release("0.2", "aaaaaaa1") + release("0.1", "bbbbbbb"), "r.toml");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].name, "0.2");
  EXPECT_EQ(read[0].commit, "aaaaaaa1");
  EXPECT_EQ(read[1].name, "0.1");
  EXPECT_TRUE(parse_releases("", "r.toml").empty());
  EXPECT_TRUE(load_releases("/no/such/file.toml").empty());
}

TEST(Releases, WhatIsNoReleaseIsRefusedWithItsLine) {
  EXPECT_THAT(refusal("[[release]]\nname = \"a\"\n"), HasSubstr("r.toml:1"));
  EXPECT_THAT(refusal(release("a", "HEAD")), HasSubstr("r.toml:3: expected commit"));
  EXPECT_THAT(refusal(release("a", "abc12")), HasSubstr("at least 7"));
  EXPECT_THAT(refusal(release("a", "abcdef12") + "date = 1\n"), HasSubstr("r.toml:4"));
  EXPECT_THAT(refusal(release("a", "abcdef12") + release("a", "bbcdef12")), HasSubstr("twice"));
  EXPECT_THAT(refusal(release("a", "abcdef12") + release("b", "abcdef1")),
              HasSubstr("r.toml:6: releases 'a' and 'b' are of one commit"));
  EXPECT_THAT(refusal("release = 3\n"), HasSubstr("r.toml:1: expected [[release]]"));
  EXPECT_THAT(refusal("[[releases]]\n"), HasSubstr("[[release]] tables only"));
  EXPECT_THAT(refusal("[[release]\n"), HasSubstr("r.toml:1"));
}

}  // namespace
}  // namespace nsop
