#include "harness/judge/history/across_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/nights_support.h"

namespace nsop::judge {
namespace {

using test::kRelu;
using test::kTanh;
using testing::SizeIs;

// Commits are called c0 (the oldest) to c99; each host's line names those that it measured.
class AcrossHostsTest : public testing::Test {
 protected:
  Alert alert(const std::string& host, const std::string& good, const std::string& bad,
              const RowKey& row = kRelu, const std::string& direction = "worse") {
    Alert one;
    one.host_id = host;
    one.kind = "step";
    one.direction = direction;
    one.last_good = good;
    one.first_bad = bad;
    one.rows = {{row, 1.1, 1.08, 1.12, ""}};
    one.opened_utc = "2026-01-0" + std::to_string(++opened_) + "T00:00:00Z";
    one.id = alert_id(one);
    return one;
  }

  void measured(const std::string& host, int from, int to) {
    for (int i = from; i <= to; ++i) {
      Point point;
      point.commit = "c" + std::to_string(i);
      point.ns = 100;
      lines_[host].push_back(point);
    }
  }

  std::vector<HostsOfChange> changes(const std::vector<Alert>& alerts) {
    HostsPast past;
    for (const auto& [host, line] : lines_) past.hosts.push_back(host);
    past.line = [this](const RowKey& row, const std::string& host) {
      return row == kRelu ? lines_[host] : Line{};
    };
    past.place = [](const std::string& commit) -> std::optional<size_t> {
      if (commit.size() < 2 || commit[0] != 'c') return std::nullopt;
      return 99 - std::stoul(commit.substr(1));
    };
    return hosts_of_changes(alerts, past);
  }

  std::map<std::string, Line> lines_;
  int opened_ = 0;
};

TEST_F(AcrossHostsTest, OneCommitIsOneChangeWithTheHostsThatItHoldsOn) {
  for (const char* host : {"a", "b", "c"}) measured(host, 0, 40);
  const std::vector<Alert> alerts = {alert("a", "c19", "c20"), alert("b", "c19", "c20")};
  const auto found = changes(alerts);
  ASSERT_THAT(found, SizeIs(1));
  ASSERT_THAT(found[0].hosts, SizeIs(3));
  EXPECT_EQ(found[0].first, &alerts[0]);
  EXPECT_EQ(found[0].hosts[1].alert, &alerts[1]);
  EXPECT_EQ(found[0].hosts[2].host_id, "c");
  EXPECT_EQ(found[0].hosts[2].alert, nullptr);
  EXPECT_EQ(found[0].hosts[2].before, 20);
  EXPECT_EQ(found[0].hosts[2].after, 21);
  EXPECT_TRUE(is_known(found[0].hosts[2]));
}

TEST_F(AcrossHostsTest, AHostThatMeasuredTooLittleDoesNotSaySame) {
  measured("a", 0, 40);
  measured("b", 19, 21);
  const std::vector<Alert> alerts = {alert("a", "c19", "c20")};
  const auto found = changes(alerts);
  ASSERT_THAT(found.at(0).hosts, SizeIs(2));
  EXPECT_EQ(found[0].hosts[1].before, 1);
  EXPECT_EQ(found[0].hosts[1].after, 2);
  EXPECT_FALSE(is_known(found[0].hosts[1]));
}

TEST_F(AcrossHostsTest, AHostThatMeasuresSeldomHasTheChangeSomewhereBetween) {
  measured("a", 0, 40);
  measured("b", 0, 40);
  const std::vector<Alert> alerts = {alert("a", "c19", "c20"), alert("b", "c15", "c25")};
  EXPECT_THAT(changes(alerts), SizeIs(1));
  const std::vector<Alert> apart = {alert("a", "c19", "c20"), alert("b", "c20", "c25")};
  EXPECT_THAT(changes(apart), SizeIs(2)) << "c20 is good on b";
  const std::vector<Alert> other_row = {alert("a", "c19", "c20"), alert("b", "c15", "c25", kTanh)};
  EXPECT_THAT(changes(other_row), SizeIs(2));
}

TEST_F(AcrossHostsTest, BetterOnOneHostAndWorseOnAnotherAreTwoChanges) {
  measured("a", 0, 40);
  measured("b", 0, 40);
  const std::vector<Alert> alerts = {alert("a", "c19", "c20"),
                                     alert("b", "c19", "c20", kRelu, "better")};
  EXPECT_THAT(changes(alerts), SizeIs(2));
}

TEST_F(AcrossHostsTest, HostsThatNeverMeasuredTheRowAndUnknownCommitsSayNothing) {
  measured("a", 0, 40);
  lines_["b"];
  measured("c", 0, 40);
  for (Point& point : lines_["c"]) point.commit = "gone";
  const std::vector<Alert> alerts = {alert("a", "c19", "c20")};
  EXPECT_THAT(changes(alerts).at(0).hosts, SizeIs(1));
}

TEST_F(AcrossHostsTest, NoiseIsNoChangeThatOthersHave) {
  measured("a", 0, 40);
  measured("b", 0, 40);
  std::vector<Alert> alerts = {alert("a", "c19", "c20"), alert("b", "c19", "c20")};
  alerts[1].state = AlertState::kNoise;
  const auto found = changes(alerts);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[1].hosts, SizeIs(1));
}

TEST_F(AcrossHostsTest, TheOneThatWaitsMostUrgentlySpeaksForAChange) {
  std::vector<Alert> alerts = {alert("a", "c19", "c20"), alert("b", "c19", "c20"),
                               alert("c", "c19", "c20")};
  const auto speaker = [&](AlertState a, AlertState b, AlertState c) {
    alerts[0].state = a;
    alerts[1].state = b;
    alerts[2].state = c;
    const auto found = changes(alerts);
    EXPECT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].first, &alerts[0]) << "the id stays";
    return speaker_of(found[0]).host_id;
  };
  using enum AlertState;
  EXPECT_EQ(speaker(kOpen, kOpen, kOpen), "a");
  EXPECT_EQ(speaker(kClosed, kAccepted, kOpen), "c");
  EXPECT_EQ(speaker(kAccepted, kInconclusive, kClosed), "b");
  EXPECT_EQ(speaker(kClosed, kClosed, kAccepted), "c");
}

TEST_F(AcrossHostsTest, AnAnswerIsThatOfAllHostsWhereItIsAllowedOrOfTheNamedOne) {
  AcrossHosts across;
  across.alerts = {alert("a", "c19", "c20"), alert("b", "c19", "c20"), alert("c", "c30", "c31")};
  across.alerts[0].state = AlertState::kClosed;
  across.changes = changes(across.alerts);
  const AlertChange close{"close", "", "mended", "", "me"}, reopen{"reopen", "", "no", "", "me"};
  const auto hosts = [&](const AlertChange& answer, const std::string& host) {
    std::string text;
    for (const auto& event :
         answers(across, across.alerts[0].id, host, answer, "2026-02-01T00:00:00Z")) {
      text += event.host_id + " ";
    }
    return text;
  };
  EXPECT_EQ(hosts(close, ""), "b ") << "a has that answer, c another change";
  EXPECT_EQ(hosts(reopen, ""), "a ");
  across.alerts[0].state = AlertState::kOpen;
  EXPECT_EQ(hosts(close, ""), "a b ");
  EXPECT_EQ(hosts(close, "b"), "b ");
  EXPECT_THROW(hosts(close, "c"), Error);
  EXPECT_THROW(hosts(reopen, ""), Error);
}

}  // namespace
}  // namespace nsop::judge
