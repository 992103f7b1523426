#include "harness/report/stored/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/judge/testing/nights_support.h"

namespace nsop::report {
namespace {

using judge::RowHistory;
using testing::HasSubstr;
using testing::StartsWith;

class HistoryPlotTest : public testing::Test {
 protected:
  // Twelve nights, then twelve that take 10 % longer.
  HistoryPlotTest() {
    history_.row = judge::test::kRelu;
    history_.line = judge::test::quiet_line(24, 0.001);
    judge::test::scale_from(history_.line, 12, 1.1);
    history_.left_out.resize(24);
    history_.changes = {{12, 1.1, 1.09, 1.11}};
  }

  RowHistory history_;
};

TEST_F(HistoryPlotTest, HasPointsLevelsAndTheChangeBetweenThem) {
  const Json plot = history_plot(history_, 100);
  EXPECT_EQ(plot["schema"], "nsop.plot/1");
  EXPECT_EQ(plot["points"].size(), 24u);
  EXPECT_EQ(plot["points"][0]["x"], 1);
  EXPECT_EQ(plot["points"][0]["y"], history_.line[0].ns);
  ASSERT_EQ(plot["levels"].size(), 2u);
  EXPECT_EQ(plot["levels"][0]["to"], 12);
  EXPECT_EQ(plot["levels"][1]["from"], 13);
  EXPECT_NEAR(plot["levels"][1]["y"].get<double>() / plot["levels"][0]["y"].get<double>(), 1.1,
              0.01);
  ASSERT_EQ(plot["changes"].size(), 1u);
  EXPECT_EQ(plot["changes"][0]["x"], 13);
  EXPECT_EQ(plot["changes"][0]["worse"], true);
  EXPECT_EQ(plot["changes"][0]["text"], "+10.0 % [+9.0 %, +11.0 %]");
  EXPECT_THAT(plot["changes"][0]["commit"].get<std::string>(), StartsWith("c012, 2026-01-13"));
  EXPECT_EQ(plot["x_axis"]["ticks"].size(), 6u);
  EXPECT_EQ(plot["x_axis"]["ticks"][5]["text"], "2026-01-24");
}

TEST_F(HistoryPlotTest, RunsOfOneDayAreToldApartByTheirCommits) {
  for (size_t i = 0; i < history_.line.size(); ++i) {
    history_.line[i].started_utc = fmt::format("2026-01-01T{:02}:00:00Z", i);
  }
  const Json axis = history_plot(history_, 100)["x_axis"];
  EXPECT_EQ(axis["label"], "commit, all measured on one day");
  EXPECT_EQ(axis["ticks"][0]["text"], "c000");
  EXPECT_EQ(axis["ticks"][5]["text"], "c023");
}

TEST_F(HistoryPlotTest, TicksEncloseThePointsAndDiffer) {
  const Json ticks = history_plot(history_, 100)["y_axis"]["ticks"];
  EXPECT_GE(ticks.size(), 3u);
  EXPECT_LE(ticks.size(), 7u);
  EXPECT_LT(ticks.front()["value"], history_.line[0].ns);
  EXPECT_GT(ticks.back()["value"], history_.line[23].ns);
  for (size_t i = 1; i < ticks.size(); ++i) EXPECT_NE(ticks[i]["text"], ticks[i - 1]["text"]);
}

TEST_F(HistoryPlotTest, TheNewestPointsKeepTheirPlaces) {
  const Json plot = history_plot(history_, 8);
  EXPECT_EQ(plot["points"].size(), 8u);
  EXPECT_EQ(plot["points"][7]["x"], 8);
  EXPECT_TRUE(plot["changes"].empty()) << "it lies before";
  EXPECT_EQ(plot["levels"].size(), 1u);
}

TEST_F(HistoryPlotTest, WhatCountsForNothingAndWhatFailedStandApart) {
  history_.left_out[3] = "of another branch";
  history_.line[5].ns = 0;
  history_.line[5].status = Status::kTimeout;
  for (size_t i = 20; i < 24; ++i) history_.line[i].segment = "gcc 13 | inputs";
  const Json plot = history_plot(history_, 100);
  EXPECT_EQ(plot["points"].size(), 22u);
  ASSERT_EQ(plot["left_out"].size(), 1u);
  EXPECT_EQ(plot["left_out"][0]["x"], 4);
  EXPECT_EQ(plot["failed"], Json::array({6}));
  EXPECT_EQ(plot["levels"].size(), 3u) << "segments are never compared";
}

TEST_F(HistoryPlotTest, OneNightIsAPlotAndNoneIsNot) {
  const Json plot = history_plot(history_, 1);
  EXPECT_EQ(plot["points"].size(), 1u);
  EXPECT_GE(plot["y_axis"]["ticks"].size(), 2u);
  EXPECT_EQ(plot["x_axis"]["ticks"].size(), 2u);
  for (judge::Point& point : history_.line) point.ns = 0;
  try {
    history_plot(history_, 100);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no night that counts has a time"));
  }
}

}  // namespace
}  // namespace nsop::report
