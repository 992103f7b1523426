#include "harness/core/suite/suite.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

using testing::HasSubstr;

const std::string kReport = R"([report]
name = "conv"
title = "Convolutions"
form = "before_after"
before = "elementwise"
after = "hwy"
)";

const SuiteForms kForms{{"before_after"}, {"sweep"}, {"log", false}};

std::string suite_error(const std::string& text) {
  try {
    parse_suite(text, "x.toml", kForms);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(SuiteTest, ReadsEverything) {
  const Suite suite = parse_suite(kReport + R"(
also = ["direct@AVX2"]
beside = ["tensor_ops", "direct"]
targets = ["AVX2", "SCALAR"]
peers = ["onednn_blocked", "torch"]
profiles = ["full"]
most_sd_percent = 7.5
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
shortcut = "one position stands for all"
case = "conv2d pass=forward in=1x1x8x8 out=1 k=3 s=1 p=1 bias=1"
)",
                                  "x.toml", kForms);
  EXPECT_EQ(suite.name, "conv");
  EXPECT_EQ(suite.after, (Selector{"hwy", "best"}));
  EXPECT_EQ(suite.also.at(0).text(), "direct@AVX2");
  EXPECT_EQ(suite.most_sd_percent, 7.5);
  ASSERT_EQ(suite.beside.size(), 2U);
  EXPECT_EQ(suite.beside[1].variant, "direct");
  ASSERT_EQ(suite.cases.size(), 2u);
  EXPECT_EQ(suite.cases[0].operation, "Forward");
  EXPECT_EQ(suite.cases[0].threads, (std::vector<int>{1, 2}));
  EXPECT_EQ(suite.cases[1].threads, (std::vector<int>{1}));
  EXPECT_EQ(suite.cases[1].relative_to, "Dense");
  EXPECT_EQ(suite.cases[0].shortcut, "");
  EXPECT_EQ(suite.cases[1].shortcut, "one position stands for all");
  EXPECT_EQ(suite.cases[0].where, "x.toml:16");
  EXPECT_EQ(suite.peers, (std::vector<std::string>{"onednn_blocked", "torch"}));
  EXPECT_TRUE(is_of_profile(suite, "full"));
  EXPECT_FALSE(is_of_profile(suite, "comprehensive"));
}

TEST(SuiteTest, WithoutProfilesASuiteIsOfAllOfThem) {
  const Suite suite =
      parse_suite(kReport + "[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n", "x.toml", kForms);
  for (const char* profile : {"quick", "comprehensive", "full"}) {
    EXPECT_TRUE(is_of_profile(suite, profile)) << profile;
  }
  EXPECT_TRUE(suite.peers.empty());
}

TEST(SuiteTest, ACaseMayNameItsVariants) {
  const Suite suite = parse_suite(kReport + R"(
[[cases]]
label = "Peak"
case = "peak_flops"
variants = ["hwy@AVX2", "hwy@SCALAR"]
)",
                                  "x.toml", kForms);
  EXPECT_EQ(suite.cases[0].variants, (std::vector<Selector>{{"hwy", "AVX2"}, {"hwy", "SCALAR"}}));
}

TEST(SuiteTest, OnlyFormsThatShowNoneMayLackBefore) {
  const auto report = [](const std::string& name) {
    return "[report]\nname = \"a\"\ntitle = \"t\"\nform = \"" + name +
           "\"\nafter = \"hwy\"\n[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n";
  };
  EXPECT_EQ(parse_suite(report("log"), "x.toml", kForms).before.variant, "");
  EXPECT_THAT(suite_error(report("sweep")), HasSubstr("[report] lacks 'before'"));
  EXPECT_THAT(suite_error(report("pie")), HasSubstr("[report] lacks 'before'"));
}

TEST(SuiteTest, TheKeyOfEarlierCommitsNamesTheFormToo) {
  const auto report = [](const std::string& keys) {
    return "[report]\nname = \"a\"\ntitle = \"t\"\n" + keys +
           "before = \"e\"\nafter = \"hwy\"\n[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n";
  };
  const std::string earlier = "template = \"sweep\"\n";
  EXPECT_EQ(parse_suite(report(earlier), "x.toml", kForms).form, "sweep");
  EXPECT_THAT(suite_error(report("template = \"pie\"\n")),
              HasSubstr("x.toml:4: unknown form 'pie'"));
  EXPECT_THAT(suite_error(report("")), HasSubstr("[report] lacks 'form'"));
  EXPECT_THAT(suite_error(report("form = \"sweep\"\n" + earlier)),
              HasSubstr("x.toml:5: unknown key 'template' in [report]"));
}

TEST(SuiteTest, WhoKnowsNoFormsTakesAnyName) {
  const Suite suite = parse_suite(
      "[report]\nname = \"a\"\ntitle = \"t\"\nform = \"pie\"\nafter = \"hwy\"\n"
      "[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n",
      "x.toml", {});
  EXPECT_EQ(suite.form, "pie");
}

TEST(SuiteTest, FormsInOneText) {
  EXPECT_EQ(one_of({{"a"}}), "a");
  EXPECT_EQ(one_of({{"a"}, {"b"}}), "a or b");
  EXPECT_EQ(one_of(kForms), "before_after, sweep or log");
}

TEST(SuiteTest, ReadsGoals) {
  const Suite suite = parse_suite(kReport + R"([[cases]]
label = "A"
case = "tanh pass=forward n=10 range=-3:3"
[[goals]]
that = "hwy <= 2.0 x numpy"
on = "tanh pass=forward n=*"
[[goals]]
that = "bandwidth >= 90 %"
on = ["add", "relu n=100000*"]
threads = [1]
note = "tried streaming stores"
)",
                                  "x.toml", kForms);
  ASSERT_EQ(suite.goals.size(), 2u);
  EXPECT_EQ(suite.goals[0].on, std::vector<std::string>{"tanh pass=forward n=*"});
  EXPECT_TRUE(suite.goals[0].threads.empty());
  EXPECT_EQ(suite.goals[0].where, "x.toml:11");
  EXPECT_EQ(suite.goals[1].on.size(), 2u);
  EXPECT_EQ(suite.goals[1].threads, std::vector<int>{1});
  EXPECT_EQ(suite.goals[1].note, "tried streaming stores");
}

TEST(SuiteTest, AGoalOnAMetricSpeaksOfAfterUnlessItNamesAVariant) {
  const Suite suite = parse_suite(kReport + R"([[cases]]
label = "A"
case = "relu"
[[goals]]
that = "allocs = 0"
on = "relu"
[[goals]]
that = "elementwise: allocs <= 2"
on = "relu"
source = "a log"
)",
                                  "x.toml", kForms);
  ASSERT_EQ(suite.goals.size(), 2u);
  EXPECT_EQ(suite.goals[0].subject, suite.after);
  EXPECT_EQ(suite.goals[1].subject, Selector::parse("elementwise"));
  EXPECT_EQ(suite.goals[1].source, "a log");
}

TEST(SuiteTest, BrokenGoalsNameTheirLine) {
  const std::string with_case = kReport + "[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n";
  EXPECT_THAT(suite_error(with_case + "[[goals]]\nthat = \"hwy < numpy\"\non = \"relu\"\n"),
              HasSubstr("x.toml:10: 'hwy < numpy': expected 'VARIANT <= NUMBER x VARIANT'"));
  EXPECT_THAT(suite_error(with_case + "[[goals]]\nthat = \"speed >= 9\"\non = \"relu\"\n"),
              HasSubstr("x.toml:10: 'speed >= 9': unknown metric 'speed', expected one of allocs"));
  EXPECT_THAT(suite_error(with_case + "[[goals]]\nthat = \"hwy <= 1 x numpy\"\n"),
              HasSubstr("x.toml:10: [[goals]] lacks 'on'"));
  EXPECT_THAT(
      suite_error(with_case + "[[goals]]\nthat = \"hwy <= 1 x numpy\"\non = \"relu\"\nb = 1\n"),
      HasSubstr("x.toml:13: unknown key 'b' in [[goals]]"));
  EXPECT_THAT(suite_error("goals = 3\n" + with_case), HasSubstr("expected [[goals]] tables"));
}

const std::string kWithGoal = kReport + R"([[cases]]
label = "A"
case = "tanh pass=forward n=10,100 range=-3:3"
[[goals]]
that = "hwy <= 2.0 x numpy"
on = "tanh n=100"
)";

TEST(SuiteTest, ReadsReasons) {
  const Suite suite = parse_suite(kWithGoal + R"([[reasons]]
on = "tanh pass=forward"
goals = ["hwy  <= 2.0 x numpy"]
threads = [1]
why = "Eigen allows 4.5 ULP."
tried = "a shorter polynomial"
)",
                                  "x.toml", kForms);
  ASSERT_EQ(suite.reasons.size(), 1U);
  EXPECT_EQ(suite.reasons[0].on, std::vector<std::string>{"tanh pass=forward"});
  EXPECT_EQ(suite.reasons[0].goals, std::vector<std::string>{"hwy <= 2.0 x numpy"});
  EXPECT_EQ(suite.reasons[0].threads, std::vector<int>{1});
  EXPECT_EQ(suite.reasons[0].why, "Eigen allows 4.5 ULP.");
  EXPECT_EQ(suite.reasons[0].tried, "a shorter polynomial");
  EXPECT_EQ(suite.reasons[0].where, "x.toml:17");
}

TEST(SuiteTest, AReasonMustNameRowsAndGoalsThatThereAre) {
  const auto error = [](const std::string& text) {
    return suite_error(kWithGoal + "[[reasons]]\n" + text);
  };
  EXPECT_THAT(error("on = \"tanh\"\n"), HasSubstr("[[reasons]] lacks 'why'"));
  EXPECT_THAT(error("why = \"w\"\n"), HasSubstr("x.toml:13: [[reasons]] lacks 'on'"));
  EXPECT_THAT(error("on = \"relu\"\nwhy = \"w\"\n"),
              HasSubstr("x.toml:15: [[reasons]] names 'relu', but no such row"));
  const std::string ungoaled = "on = \"tanh n=10\"\nwhy = \"w\"\n";
  EXPECT_THAT(error(ungoaled + "goals = \"hwy <= 2.0 x numpy\"\n"),
              HasSubstr("names 'tanh n=10', but no such row"));  // the goal doesn't speak of it
  EXPECT_EQ(error(ungoaled), "no error") << "it speaks of the row itself";
  EXPECT_THAT(error("on = \"tanh\"\nwhy = \"w\"\nthreads = [2]\n"), HasSubstr("no such row"));
  EXPECT_THAT(error("on = \"tanh\"\nwhy = \"w\"\ngoals = \"hwy <= 2.5 x numpy\"\n"),
              HasSubstr("names the goal 'hwy <= 2.5 x numpy', which this suite lacks; did you mean "
                        "'hwy <= 2.0 x numpy'?"));
  EXPECT_THAT(error("on = \"tanh\"\nwhy = \"w\"\ngoals = \"faster\"\n"),
              HasSubstr("x.toml:13: 'faster': expected"));
  EXPECT_THAT(error("on = \"tanh\"\nwhy = \"" + std::string(901, 'w') + "\"\n"),
              HasSubstr("may have 900 characters together"));
  EXPECT_THAT(error("on = \"tanh\"\nwhy = \"w\"\nbecause = \"b\"\n"),
              HasSubstr("unknown key 'because' in [[reasons]]"));
}

TEST(SuiteTest, ErrorsNameFileAndLine) {
  const std::string one = "[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n";
  EXPECT_THAT(suite_error("[report\n"), HasSubstr("x.toml:1: not TOML"));
  std::string deep = "a";
  for (int i = 0; i < 40'000; ++i) deep += ".a";
  for (const std::string& text :
       {deep + " = 1\n", "[" + deep + "]\n", "x = {" + deep + " = 1}\n"}) {
    EXPECT_THAT(suite_error("\n" + text), HasSubstr("x.toml:2: a key of more than 100 parts"));
  }
  EXPECT_THAT(suite_error(one), HasSubstr("expected a [report] table"));
  EXPECT_THAT(suite_error(kReport), HasSubstr("at least one [[cases]]"));
  EXPECT_THAT(suite_error(kReport + "[goal]\n"), HasSubstr("x.toml:7: unknown table 'goal'"));
  EXPECT_THAT(suite_error(kReport + "tittle = \"x\"\n" + one),
              HasSubstr("x.toml:7: unknown key 'tittle' in [report]; did you mean 'title'?"));
  EXPECT_THAT(suite_error(kReport + "[[cases]]\nlabel = \"A\"\n"), HasSubstr("lacks 'case'"));
  EXPECT_THAT(suite_error(kReport + "[[cases]]\nlabel = 3\ncase = \"relu\"\n"),
              HasSubstr("x.toml:8: [[cases]]: expected label = text"));
  EXPECT_THAT(suite_error(kReport + "peers = [\"py@1\"]\n" + one),
              HasSubstr("x.toml:7: peers: 'py@1' is no name of a library"));
  EXPECT_THAT(suite_error(kReport + "profiles = [\"ful\"]\n" + one),
              HasSubstr("x.toml:7: unknown profile 'ful'"));
  EXPECT_THAT(suite_error(kReport + "most_sd_percent = 0\n" + one),
              HasSubstr("x.toml:7: [report]: expected most_sd_percent = a number above 0"));
  EXPECT_THAT(suite_error(kReport + "most_sd_percent = \"10\"\n" + one), HasSubstr("above 0"));
  EXPECT_THAT(suite_error(kReport + one + "threads = [0]\n"), HasSubstr("positive integers"));
  EXPECT_THAT(suite_error(kReport + one + "relative_to = \"B\"\n"), HasSubstr("names no row"));
  EXPECT_THAT(suite_error("[report]\nname=\"a/b\"\ntitle=\"t\"\nform=\"sweep\"\nbefore=\"e\"\n"
                          "after=\"h\"\n" +
                          one),
              HasSubstr("x.toml:2: name 'a/b'"));
  EXPECT_THAT(suite_error("[report]\nname=\"a\"\ntitle=\"t\"\nform=\"pie\"\nbefore=\"e\"\n"
                          "after=\"h\"\n" +
                          one),
              HasSubstr("x.toml:4: unknown form 'pie', expected before_after, sweep or log"));
  EXPECT_THAT(suite_error("[report]\nname=\"a\"\ntitle=\"t\"\nform=\"sweep\"\nbefore=\"e@\"\n"
                          "after=\"h\"\n" +
                          one),
              HasSubstr("expected variant or variant@target"));
}

}  // namespace
}  // namespace nsop
