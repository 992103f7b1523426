#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "harness/report/base/format.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

TEST(Slug, IsSafeInAFileName) {
  EXPECT_EQ(slug("ReLU Forward"), "relu-forward");
  EXPECT_EQ(slug("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(slug("µ/\\\n"), "unnamed");
  EXPECT_EQ(slug(""), "unnamed");
  EXPECT_EQ(slug(std::string(59, 'a') + " b"), std::string(59, 'a'));
}

RC_GTEST_PROP(SlugProperty, HasOnlyLettersDigitsAndDashes, (const std::string& text)) {
  const std::string result = slug(text);
  RC_ASSERT(!result.empty());
  RC_ASSERT(result.size() <= 60);
  RC_ASSERT(result.front() != '-' && result.back() != '-');
  RC_ASSERT(std::all_of(result.begin(), result.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  }));
}

Json first_plot(const Json& report) { return report["sections"][0]["plots"][0]; }

TEST(SweepPlot, HasALinePerTargetWithAllSizes) {
  const Json plot = first_plot(build_report(sweep_suite(), sweep_run().data(), std::nullopt));
  EXPECT_EQ(plot["kind"], "lines");
  EXPECT_EQ(plot["id"], "relu-forward");
  ASSERT_EQ(plot["panels"].size(), 2);
  const Json& series = plot["panels"][0]["series"];
  ASSERT_EQ(series.size(), 4);
  EXPECT_EQ(series[0]["label"], "elementwise");
  EXPECT_EQ(series[1]["label"], "hwy@AVX2");
  EXPECT_EQ(series[1]["x"], Json({100.0, 10'000.0, 1'000'000.0}));
  const double time = series[1]["y"][1];
  const double each = plot["panels"][1]["series"][1]["y"][1];
  EXPECT_DOUBLE_EQ(each, time / 10'000);
}

TEST(LogTicks, AreTwoForASingleValueToo) {
  for (const double value : {1.0, 2.0, 3.0, 5.0, 10.0, 999.0, 1000.0, 1e-3}) {
    const Json ticks = log_ticks({value, value}, number_tick);
    ASSERT_GE(ticks.size(), 2U) << value;
    EXPECT_LE(ticks.front()["value"].get<double>(), value);
    EXPECT_GE(ticks.back()["value"].get<double>(), value);
  }
}

TEST(SweepPlot, TicksEncloseTheValuesAndAreLabelled) {
  const Json plot = first_plot(build_report(sweep_suite(), sweep_run().data(), std::nullopt));
  const Json& ticks = plot["panels"][0]["y_axis"]["ticks"];
  EXPECT_EQ(ticks.front()["text"], "10 ns");
  EXPECT_EQ(ticks.back()["text"], "10 ms");
  for (const Json& series : plot["panels"][0]["series"]) {
    for (const double y : series["y"]) {
      EXPECT_LE(ticks.front()["value"].get<double>(), y);
      EXPECT_GE(ticks.back()["value"].get<double>(), y);
    }
  }
}

TEST(BarsPlot, HasABarPerRowAndRoleAndNoneForAWrongOne) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json plot = report["sections"][1]["plots"][0];
  EXPECT_EQ(plot["kind"], "bars");
  EXPECT_EQ(plot["categories"], Json({"Dense Forward batch=32", "Dense Backward"}));
  EXPECT_TRUE(plot["series"][1]["values"][1].is_null());
  EXPECT_EQ(plot["series"][1]["texts"][1], "no time");
  EXPECT_EQ(plot["series"][0]["texts"][1], "2.61 ms");
}

TEST(BarsPlot, SweptRowsHaveDifferentNames) {
  const Json plot = first_plot(build_report(matched_suite(), matched_run().data(), std::nullopt));
  EXPECT_EQ(plot["id"], "all");
  EXPECT_EQ(plot["categories"], Json({"Dense Forward", "Conv2D Forward k=3", "Conv2D Forward k=5",
                                      "Conv2D Forward k=7"}));
}

TEST(SweepPlot, DrawsTheMachinesLimitAndThePeers) {
  FakeRun fake = sweep_run();
  add_limits(fake);
  for (const int n : {100, 10'000, 1'000'000}) {
    const std::string text = "relu pass=forward n=" + std::to_string(n) + " range=-3:3";
    fake.facts(text, {1.0 * n, 0, 8.0 * n, 8.0 * n, 4.0 * n});
    fake.time({text, "numpy", "1.24", 1}, 500 + 0.1 * n);
  }
  Suite suite = sweep_suite();
  suite.peers = {"numpy"};
  const Json series =
      first_plot(build_report(suite, fake.data(), std::nullopt))["panels"][0]["series"];
  EXPECT_TRUE(series[0]["dashed"]);
  EXPECT_EQ(series[series.size() - 2]["label"], "numpy");
  const Json& roof = series.back();
  EXPECT_TRUE(roof["roof"]);
  ASSERT_EQ(roof["x"].size(), 3);
  EXPECT_NEAR(roof["y"][0].get<double>(), 4, 0.1);    // 800 B at 200 GB/s
  EXPECT_NEAR(roof["y"][2].get<double>(), 1e5, 1e3);  // 8 MB at 80 GB/s
}

TEST(RatioPlot, BarsAreTheRatiosToTheBestPeer) {
  const Json report = build_report(peers_suite(), peers_run().data(), std::nullopt);
  const Json plot = report["sections"][1]["plots"][0];
  EXPECT_EQ(plot["baseline"], 1.0);
  EXPECT_EQ(plot["id"], "products-ratio");
  EXPECT_EQ(plot["series"][0]["texts"][0], "5.0 % more time than onednn");
  EXPECT_LT(plot["series"][0]["values"][0].get<double>(), 1);
  EXPECT_LE(plot["series"][0]["lo"][1].get<double>(), plot["series"][0]["values"][1]);
}

Json means_of(const Json& report) {
  for (const Json& section : report["sections"]) {
    if (section["title"] == "Geometric means") return section;
  }
  throw std::runtime_error("no means");
}

TEST(RooflinePlot, HasARoofPerLevelAndAPointPerRow) {
  const Json report = build_report(peers_suite(), peers_run().data(), std::nullopt);
  const Json plot = means_of(report)["plots"][0];
  EXPECT_EQ(plot["kind"], "scatter");
  EXPECT_EQ(plot["roofs"].size(), 5);  // the peak, L1, L2, L3, DRAM
  EXPECT_EQ(plot["series"][1]["label"], "hwy");
  EXPECT_EQ(plot["series"][1]["x"].size(), 4);
  const FakeRun bare = before_after_run();
  const Json without = build_report(before_after_suite(), bare.data(), std::nullopt);
  EXPECT_TRUE(means_of(without)["plots"].empty());
}

// A product and an addition alone: points on the right and on the left of every ridge.
Json roofline_of(const std::string& text, const CaseFacts& facts, double ns) {
  FakeRun fake("66666666-6666-4666-8666-666666666666");
  add_limits(fake);
  fake.facts(text, facts).time({text, "hwy", "AVX2", 1}, ns);
  fake.time({text, "numpy", "1.0", 1}, 2 * ns);
  Suite suite = peers_suite();
  for (SuiteCase& one : suite.cases) one.threads = {1};
  return means_of(build_report(suite, fake.data(), std::nullopt))["plots"][0];
}

// How many ends of the line lie inside the axes.
int inside(const Json& roof, const Json& plot) {
  const auto within = [](const Json& axis, double value) {
    const double lo = axis["ticks"].front()["value"], hi = axis["ticks"].back()["value"];
    return lo <= value && value <= hi;
  };
  int count = 0;
  for (size_t i = 0; i < roof["x"].size(); ++i) {
    count += within(plot["x_axis"], roof["x"][i]) && within(plot["y_axis"], roof["y"][i]);
  }
  return count;
}

TEST(RooflinePlot, TheAxesHoldTheSlopesAndTheFlatRoofWhereverThePointsLie) {
  const std::string gemm = "matmul m=256 n=256 k=256 trans=nn", add = "add n=2000000";
  const CaseFacts product{33'554'432, 16'777'216, 786'432, 786'432, 262'144};
  const CaseFacts sum{2e6, 0, 24e6, 24e6, 8e6};
  for (const Json& plot :
       {roofline_of(gemm, product, 80'000), roofline_of(gemm, product, 33'554'432 / 0.01),
        roofline_of(add, sum, 1'240'000)}) {
    ASSERT_EQ(plot["kind"], "scatter");
    int slopes = 0;
    for (const Json& roof : plot["roofs"]) {
      EXPECT_EQ(inside(roof, plot), 2) << roof.dump() << plot["y_axis"].dump();
      slopes += roof["y"][0] != roof["y"][1];
    }
    EXPECT_GE(slopes, 1);
    EXPECT_EQ(plot["roofs"][0]["y"][0], plot["roofs"][0]["y"][1]);
  }
}

TEST(RooflinePlot, ASlopeThatARowBeatsIsMarked) {
  FakeRun fake = peers_run();
  const std::string text = "relu pass=forward n=1000000 range=-3:3";
  fake.facts(text, {1e6, 0, 20e6, 20e6, 10e6}).time({text, "hwy", "AVX2", 1}, 20e6 / 30);
  const Json plot = means_of(build_report(peers_suite(), fake.data(), std::nullopt))["plots"][0];
  EXPECT_EQ(plot["roofs"].back()["label"], "DRAM 20.0 GB/s ?");
  EXPECT_EQ(plot["roofs"][1]["label"], "L1 200 GB/s");
}

TEST(Plots, OfOneSectionHaveTitlesOfTheirOwn) {
  Suite suite = before_after_suite();
  suite.peers = {"numpy"};
  FakeRun fake = before_after_run();
  const std::string text = "dense pass=forward batch=32 in=256 out=512 bias=1";
  fake.time({text, "numpy", "1.24", 1}, 2e6);
  const Json report = build_report(suite, fake.data(), std::nullopt);
  for (const Json& section : report["sections"]) {
    std::set<std::string> titles;
    for (const Json& plot : section["plots"]) titles.insert(plot["title"]);
    EXPECT_EQ(titles.size(), section["plots"].size());
    if (section["title"] != "Dense") continue;
    EXPECT_THAT(titles, testing::ElementsAre("Dense", "Dense, against the best other library"));
  }
}

TEST(Plots, IdsOfDifferentHeadingsDiffer) {
  Suite suite = before_after_suite();
  suite.cases[0].section = "a/b";
  suite.cases[1].section = "a b";
  suite.cases[2].section = "a-b";
  const Json report = build_report(suite, before_after_run().data(), std::nullopt);
  EXPECT_EQ(report["sections"][0]["plots"][0]["id"], "a-b");
  EXPECT_EQ(report["sections"][1]["plots"][0]["id"], "a-b-2");
  EXPECT_EQ(report["sections"][2]["plots"][0]["id"], "a-b-3");
}

RC_GTEST_PROP(EvenTicks, AreSevenAtMostTellTimesApartAndEncloseThem, ()) {
  const double low = *rc::gen::inRange(1, 1'000'000) * 0.37;
  const double high = low * (1 + *rc::gen::inRange(0, 5000) / 1000.0);
  const Json ticks = even_ticks({low, high}, fine_time_tick);
  RC_ASSERT(ticks.size() >= 2u && ticks.size() <= 7u);
  RC_ASSERT(ticks.front()["value"] <= low);
  RC_ASSERT(ticks.back()["value"] >= high);
  for (size_t i = 1; i < ticks.size(); ++i) RC_ASSERT(ticks[i]["text"] != ticks[i - 1]["text"]);
}

}  // namespace
}  // namespace nsop::report
