#include "harness/report/base/published/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/report/base/published/library_ages.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::HasSubstr;

const std::string kNames =
    "system,document,version,machine,case,role,here,ns_per_op,allocs_per_op,bytes_per_op,metric,"
    "value,unit,note\n";

std::vector<Published> published_lines(const std::string& lines) {
  return parse_published(kNames + lines, "their.csv");
}

// What parsing these lines complains about.
std::string complaint(const std::string& text) {
  try {
    parse_published(text, "their.csv");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
  return "none";
}

std::vector<Published> of_layers() {
  return published_lines(
      "Other,R.md,v1,\"i7, 6 cores\",conv2d bias=1 p=1 s=1 k=3 out=128 in=8x64x32x32 "
      "pass=forward,before,before,5502185241,28,27269160,,,,\n"
      "Other,R.md,v2,\"i7, 6 cores\",conv2d pass=forward in=8x64x32x32 out=128 k=3 s=1 p=1 "
      "bias=1,after,after,1457734861,,,,,,\"never measured: a \"\"constant\"\"\"\n"
      "Third,T.md,2024,not stated,conv2d pass=forward in=8x64x32x32 out=128 k=3.0 s=1 p=1 "
      "bias=1,PyTorch there,torch,2100,,,,,,\n"
      "Third,T.md,2024,not stated,conv2d pass=forward in=9x9x9x9 out=1 k=3 s=1 p=1 bias=1,x,after,"
      "1,,,,,,\n");
}

Json section_of(const Json& report) {
  for (const Json& section : report["sections"]) {
    if (section["title"] == "Published elsewhere") return section;
  }
  return nullptr;
}

TEST(LibraryAges, AreThoseOfTheVersionThatWasMeasured) {
  EXPECT_EQ(month_of_library("onednn", "2.6.3"), "2022-12");
  EXPECT_EQ(month_of_library("onednn_direct", "2.6.3"), "2022-12");
  EXPECT_EQ(month_of_library("eigen", "3.4.0-AVX512"), "2021-11");
  EXPECT_EQ(month_of_library("onednn", "3.0"), "");
  EXPECT_EQ(month_of_library("elementwise", "2.6.3"), "");
}

TEST(PublishedGolden, StandsBesideOurs) {
  std::vector<Published> all = of_layers();
  all.resize(3);
  expect_golden(build_report(before_after_suite(), before_after_run().data(), std::nullopt,
                             std::nullopt, {}, all),
                "published");
}

TEST(Published, IsFoundByTheCaseHoweverItIsSpelled) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt,
                                   std::nullopt, {}, of_layers());
  const Json section = section_of(report);
  const Json& table = section["tables"][0];
  ASSERT_EQ(table["rows"].size(), 3U);
  EXPECT_EQ(table["collapsed"], true);
  EXPECT_LE(table["columns"].size(), 8U);
  EXPECT_EQ(cell_of(table, 0, "source")["text"], "Other v1, before");
  EXPECT_EQ(cell_of(table, 0, "machine")["text"], "i7, 6 cores");
  EXPECT_EQ(cell_of(table, 0, "value")["text"], "5.50 s");
  EXPECT_EQ(cell_of(table, 0, "note")["text"], "28 allocs/op; 27,269,160 B/op");
  EXPECT_EQ(cell_of(table, 1, "note")["text"], "never measured: a \"constant\"");
}

TEST(Published, StandsBesideTheVariantThatDoesTheSameHere) {
  const RunData run = before_after_run().data();
  const Json report =
      build_report(before_after_suite(), run, std::nullopt, std::nullopt, {}, of_layers());
  const Json table = section_of(report)["tables"][0];
  const Json& first = report["sections"][0]["tables"][0];
  EXPECT_THAT(cell_of(table, 0, "variant")["text"], HasSubstr("elementwise"));
  EXPECT_EQ(cell_of(table, 0, "here")["text"], cell_of(first, 0, "before")["text"]);
  EXPECT_THAT(cell_of(table, 1, "variant")["text"], HasSubstr("hwy"));
  EXPECT_EQ(cell_of(table, 1, "here")["text"], cell_of(first, 0, "after")["text"]);
  EXPECT_EQ(cell_of(table, 2, "variant")["text"], "-");  // no such peer in this run
  EXPECT_EQ(cell_of(table, 2, "here")["text"], "-");
}

TEST(Published, StandsBesideBeforeWhereAfterCantDoTheCase) {
  const std::vector<Published> published = published_lines(
      "Other,R.md,v1,not stated,relu pass=forward n=1024 range=-3:3,after,after,500,,,,,,\n");
  const Json report = build_report(threads_suite(), threads_run().data(), std::nullopt,
                                   std::nullopt, {}, published);
  const Json table = section_of(report)["tables"][0];
  EXPECT_EQ(cell_of(table, 0, "variant")["text"], "hwy@AVX2");  // `forked` shares on two threads
  EXPECT_EQ(cell_of(table, 0, "here")["text"], "71.7 ns");
}

TEST(Published, IsNeverJudged) {
  const auto report = [](const std::vector<Published>& published) {
    return build_report(before_after_suite(), before_after_run().data(), std::nullopt, std::nullopt,
                        {}, published);
  };
  Json with = report(of_layers()), without = report({});
  EXPECT_TRUE(section_of(without).is_null());
  const Json section = section_of(with);
  for (const Json& row : section["tables"][0]["rows"]) {
    for (const Json& cell : row["cells"]) {
      EXPECT_FALSE(cell.contains("verdict"));
      EXPECT_NE(cell["kind"], "ratio");
    }
  }
  EXPECT_THAT(section["notes"][0].get<std::string>(), HasSubstr("never compared"));
  EXPECT_EQ(section["notes"][1], "From Other (R.md), Third (T.md).");
  with["sections"].erase(with["sections"].size() - 1);
  EXPECT_EQ(with, without);
}

TEST(Published, MetricsStandBesideTheSameMetric) {
  const std::vector<Published> all = published_lines(
      "Axon,P.md,v1,not stated,dqn2048 updates=1 episodes=100,batched,after,,,,episodes,520,"
      "episodes/s,\n"
      "Axon,P.md,v1,not stated,dqn2048 updates=1 "
      "episodes=100,batched,after,,,,train_call_ns,870000,"
      "ns,\n"
      "Axon,P.md,v1,not stated,dqn2048 updates=1 episodes=100,batched,after,,,,heap,35,MB,\n");
  const Json report =
      build_report(workload_suite(), workload_run().data(), std::nullopt, std::nullopt, {}, all);
  ASSERT_FALSE(section_of(report).is_null());
  const Json table = section_of(report)["tables"][0];
  EXPECT_EQ(cell_of(table, 0, "value")["text"], "520 episodes/s");
  EXPECT_EQ(cell_of(table, 0, "here")["unit"], "episodes/s");
  EXPECT_EQ(cell_of(table, 1, "value")["text"], "870 µs");
  EXPECT_EQ(cell_of(table, 1, "here")["kind"], "time");
  EXPECT_TRUE(cell_of(table, 1, "here").contains("interval"));
  EXPECT_EQ(cell_of(table, 2, "value")["text"], "35 MB");
  EXPECT_EQ(cell_of(table, 2, "here")["text"], "-");
  // What a value is stands beside it, but where its unit says so.
  EXPECT_EQ(cell_of(table, 0, "note")["text"], "-");
  EXPECT_EQ(cell_of(table, 1, "note")["text"], "per training call");
  EXPECT_EQ(cell_of(table, 2, "note")["text"], "heap");
}

TEST(Published, ATrackingLogHasNone) {
  const std::vector<Release> releases = tracking_releases();
  Published one = of_layers().front();
  one.case_text = releases.back().data.rows.front().row.case_text;
  EXPECT_TRUE(section_of(build_report(tracking_suite(), releases.back().data, std::nullopt,
                                      std::nullopt, releases, {one}))
                  .is_null());
}

TEST(PublishedFile, SaysWhereItIsMalformed) {
  const std::string good = "S,D,1,m,add n=1,after,after,5,,,,,,\n";
  EXPECT_EQ(complaint(kNames + good), "none");
  EXPECT_EQ(complaint(kNames + "\r\n" + good), "none");
  EXPECT_THAT(complaint(""), HasSubstr("their.csv:1: expected the names system,"));
  EXPECT_THAT(complaint("a,b\n"), HasSubstr("their.csv:1: expected the names system,"));
  EXPECT_THAT(complaint(kNames + good + "S,D\n"), HasSubstr("their.csv:3: 2 fields, expected 14"));
  EXPECT_THAT(complaint(kNames + "S,\"D,1,m\n"), HasSubstr("their.csv:2: a quote is not closed"));
  EXPECT_THAT(complaint(kNames + "S,\"D\"x,1\n"), HasSubstr("their.csv:2: a quote"));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,after,fast,,,,,,\n"),
              HasSubstr("their.csv:2: ns_per_op is `fast`, expected a number"));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,after,-5,,,,,,\n"), HasSubstr("`-5`"));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,after,inf,,,,,,\n"), HasSubstr("`inf`"));
  EXPECT_THAT(complaint(kNames + "S,D,1, ,add n=1,after,after,5,,,,,,\n"),
              HasSubstr("their.csv:2: machine is empty"));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,after,,,,,,,\n"),
              HasSubstr("expected either ns_per_op, or metric and value"));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,after,5,,,heap,3,MB,\n"),
              HasSubstr("either"));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,@,5,,,,,,\n"), HasSubstr("their.csv:2: "));
  EXPECT_THAT(complaint(kNames + "S,D,1,m,add n=1,after,after,,,,train_call_ns,x,ns,\n"),
              HasSubstr("their.csv:2: value is `x`"));
}

TEST(PublishedFile, AFolderIsReadInTheOrderOfNamesAndNeedNotBeThere) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "nsop-published";
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(published_in(folder.string()).empty());
  std::filesystem::create_directories(folder);
  for (const std::string name : {"b", "a"}) {
    std::ofstream(folder / (name + ".csv")) << kNames << name << ",D,1,m,add n=1,x,after,5,,,,,,\n";
  }
  std::ofstream(folder / "README.md") << "not read";
  const std::vector<Published> found = published_in(folder.string());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].system, "a");
  EXPECT_EQ(found[1].ns, 5);
  std::ofstream(folder / "c.csv") << "nonsense\n";
  EXPECT_THROW(published_in(folder.string()), Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace nsop::report
