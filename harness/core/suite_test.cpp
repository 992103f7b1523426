#include "harness/core/suite.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

using testing::HasSubstr;

const std::string kReport = R"([report]
name = "conv"
title = "Convolutions"
template = "before_after"
before = "elementwise"
after = "hwy"
)";

std::string error_of(const std::string& text) {
  try {
    parse_suite(text, "x.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(SuiteTest, ReadsEverything) {
  const Suite suite = parse_suite(kReport + R"(
also = ["direct@AVX2"]
targets = ["AVX2", "SCALAR"]
peers = ["onednn_blocked", "torch"]
profiles = ["full"]
[[cases]]
label = "Dense"
case = "dense pass=forward in=1x2 out=3 bias=1 w=oi"
tags = ["quick"]
threads = [1, 2]
[[cases]]
label = "Conv2D"
operation = "Forward"
section = "Matched"
relative_to = "Dense"
note = "same sizes, other work"
case = "conv2d pass=forward in=1x1x8x8 out=1 k=3 s=1 p=1 bias=1"
)",
                                  "x.toml");
  EXPECT_EQ(suite.name, "conv");
  EXPECT_EQ(suite.after, (Selector{"hwy", "best"}));
  EXPECT_EQ(suite.also.at(0).text(), "direct@AVX2");
  ASSERT_EQ(suite.cases.size(), 2u);
  EXPECT_EQ(suite.cases[0].operation, "Forward");
  EXPECT_EQ(suite.cases[0].threads, (std::vector<int>{1, 2}));
  EXPECT_EQ(suite.cases[1].threads, (std::vector<int>{1}));
  EXPECT_EQ(suite.cases[1].relative_to, "Dense");
  EXPECT_EQ(suite.cases[0].where, "x.toml:14");
  EXPECT_EQ(suite.peers, (std::vector<std::string>{"onednn_blocked", "torch"}));
  EXPECT_TRUE(is_of_profile(suite, "full"));
  EXPECT_FALSE(is_of_profile(suite, "comprehensive"));
}

TEST(SuiteTest, WithoutProfilesASuiteIsOfAllOfThem) {
  const Suite suite =
      parse_suite(kReport + "[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n", "x.toml");
  for (const char* profile : {"quick", "comprehensive", "full"}) {
    EXPECT_TRUE(is_of_profile(suite, profile)) << profile;
  }
  EXPECT_TRUE(suite.peers.empty());
}

TEST(SuiteTest, ErrorsNameFileAndLine) {
  const std::string one = "[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n";
  EXPECT_THAT(error_of("[report\n"), HasSubstr("x.toml:1: not TOML"));
  EXPECT_THAT(error_of(one), HasSubstr("expected a [report] table"));
  EXPECT_THAT(error_of(kReport), HasSubstr("at least one [[cases]]"));
  EXPECT_THAT(error_of(kReport + "[goal]\n"), HasSubstr("x.toml:7: unknown table 'goal'"));
  EXPECT_THAT(error_of(kReport + "tittle = \"x\"\n" + one),
              HasSubstr("x.toml:7: unknown key 'tittle' in [report]; did you mean 'title'?"));
  EXPECT_THAT(error_of(kReport + "[[cases]]\nlabel = \"A\"\n"), HasSubstr("lacks 'case'"));
  EXPECT_THAT(error_of(kReport + "[[cases]]\nlabel = 3\ncase = \"relu\"\n"),
              HasSubstr("x.toml:8: [[cases]]: expected label = text"));
  EXPECT_THAT(error_of(kReport + "peers = [\"py@1\"]\n" + one),
              HasSubstr("x.toml:7: peers: 'py@1' is no name of a library"));
  EXPECT_THAT(error_of(kReport + "profiles = [\"ful\"]\n" + one),
              HasSubstr("x.toml:7: unknown profile 'ful'"));
  EXPECT_THAT(error_of(kReport + one + "threads = [0]\n"), HasSubstr("positive integers"));
  EXPECT_THAT(error_of(kReport + one + "relative_to = \"B\"\n"), HasSubstr("names no row"));
  EXPECT_THAT(error_of("[report]\nname=\"a/b\"\ntitle=\"t\"\ntemplate=\"sweep\"\nbefore=\"e\"\n"
                       "after=\"h\"\n" +
                       one),
              HasSubstr("x.toml:2: name 'a/b'"));
  EXPECT_THAT(error_of("[report]\nname=\"a\"\ntitle=\"t\"\ntemplate=\"pie\"\nbefore=\"e\"\n"
                       "after=\"h\"\n" +
                       one),
              HasSubstr("x.toml:4: unknown template 'pie'"));
  EXPECT_THAT(error_of("[report]\nname=\"a\"\ntitle=\"t\"\ntemplate=\"sweep\"\nbefore=\"e@\"\n"
                       "after=\"h\"\n" +
                       one),
              HasSubstr("expected variant or variant@target"));
}

}  // namespace
}  // namespace nsop
