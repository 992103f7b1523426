#include "harness/judge/history/commit_order.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/fake_builds_support.h"

namespace nsop::judge {
namespace {

using testing::ElementsAre;

// A line of points from words `COMMIT` or `COMMIT+`, a day apart; a plus: measured afterwards.
class PlacedCommits : public testing::Test {
 protected:
  std::vector<std::string> make_commits() const {
    std::vector<std::string> names;
    for (int i = 0; i < 6; ++i) names.push_back(repository_.commit(fmt::format("{}", i)));
    return names;
  }
  Line line(const std::vector<std::string>& words) const {
    Line line;
    for (const std::string& word : words) {
      Point& point = line.emplace_back();
      point.run_id = word;
      point.started_utc = fmt::format("2026-01-{:02}T00:00:00Z", line.size());
      point.backfilled = word.ends_with('+');
      const size_t number = static_cast<size_t>(word[0] - '0');
      point.commit = number < names_.size() ? names_[number] : std::string(40, 'f');
    }
    return line;
  }
  static std::vector<std::string> words(const Line& line) {
    std::vector<std::string> words;
    for (const Point& point : line) words.push_back(point.run_id);
    return words;
  }
  std::vector<std::string> placed(const std::vector<std::string>& given) {
    Line one = line(given);
    place_backfilled(one, order_);
    return words(one);
  }
  std::vector<std::string> kept(const std::vector<std::string>& given) {
    Line one = line(given);
    keep_followed(one, order_);
    return words(one);
  }
  test::FakeRepository repository_;
  std::vector<std::string> names_ = make_commits();
  CommitOrder order_{repository_.place(), "HEAD", {}};
};

TEST_F(PlacedCommits, NewestFirstBecomesOldestFirst) {
  EXPECT_THAT(kept({"5+", "4+", "3+", "0+"}), ElementsAre("0+", "3+", "4+", "5+"));
}

TEST_F(PlacedCommits, ANightsPlaceIsThatOfItsTime) {
  EXPECT_THAT(kept({"1", "3", "5", "4+", "2+", "0+"}),
              ElementsAre("0+", "1", "2+", "3", "4+", "5"));
  EXPECT_THAT(kept({"3", "1", "5", "4+", "2+"}), ElementsAre("2+", "3", "4+", "5"))
      << "1 was measured after 3, as a release";
}

TEST_F(PlacedCommits, OfOneCommitTheTimeDecides) {
  EXPECT_THAT(placed({"4", "4+", "4"}), ElementsAre("4", "4+", "4"));
  EXPECT_THAT(placed({"5+", "4+", "5"}), ElementsAre("4+", "5+", "5")) << "tonight stays the last";
}

TEST_F(PlacedCommits, WhatTheCloneDoesNotHaveHasNoPlace) {
  Line one = line({"1", "9", "9+", "2+"});
  place_backfilled(one, order_);
  EXPECT_THAT(words(one), ElementsAre("1", "9", "9+", "2+"));
  EXPECT_THAT(strayed(one, order_),
              ElementsAre(Strayed::kNo, Strayed::kNo, Strayed::kNowhere, Strayed::kNo));
}

}  // namespace
}  // namespace nsop::judge
