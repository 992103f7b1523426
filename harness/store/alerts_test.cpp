#include <gtest/gtest.h>

#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

AlertEvent example_event(const std::string& id, const std::string& at = "2026-01-02T00:00:00Z") {
  return {id, "alert-a", "host-a", "open", at, R"({"reason":"slower"})"};
}

class AlertsTest : public ::testing::Test {
 protected:
  TempDir dir_;
  std::string path_ = dir_.db();
};

TEST_F(AlertsTest, EventsComeBackByTimeThenInTheirOrder) {
  Store store(path_);
  store.append_alert_event(example_event("e2"));
  store.append_alert_event(example_event("e3"));
  store.append_alert_event(example_event("e1", "2026-01-01T00:00:00Z"));
  const auto events = store.alert_events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].id, "e1");
  EXPECT_EQ(events[1], example_event("e2"));
  EXPECT_EQ(events[2].id, "e3");
}

TEST_F(AlertsTest, AnEventIsStoredOnceAndNeverWithOtherContent) {
  Store store(path_);
  store.append_alert_event(example_event("e1"));
  store.append_alert_event(example_event("e1"));
  EXPECT_EQ(store.alert_events().size(), 1u);
  AlertEvent other = example_event("e1");
  other.action = "close";
  EXPECT_EQ(outcome([&] { store.append_alert_event(other); }).code, ExitCode::kBadData);
  EXPECT_EQ(store.alert_events().at(0).action, "open");
}

TEST_F(AlertsTest, EventsAreNeitherChangedNorDeleted) {
  { Store(path_).append_alert_event(example_event("e1")); }
  EXPECT_THROW(raw_sql(path_, "DELETE FROM alert_event"), std::exception);
  EXPECT_THROW(raw_sql(path_, "UPDATE alert_event SET action = 'close'"), std::exception);
  EXPECT_EQ(Store(path_).alert_events().size(), 1u);
}

TEST_F(AlertsTest, InvalidEventsAreRefused) {
  Store store(path_);
  AlertEvent no_object = example_event("e1");
  no_object.body = "[1]";
  EXPECT_EQ(outcome([&] { store.append_alert_event(no_object); }).code, ExitCode::kBadData);
  AlertEvent no_id = example_event("");
  EXPECT_EQ(outcome([&] { store.append_alert_event(no_id); }).code, ExitCode::kBadData);
  EXPECT_TRUE(store.alert_events().empty());
}

TEST_F(AlertsTest, VerifyNoticesAChangedEvent) {
  { Store(path_).append_alert_event(example_event("e1")); }
  const std::string on = on_server() ? " ON alert_event" : "";
  raw_sql(path_, "DROP TRIGGER alert_event_is_final" + on +
                     "; UPDATE alert_event SET body = '{\"reason\":\"x\"}'");
  const VerifyReport report = Store(path_).verify();
  ASSERT_EQ(report.problems.size(), 2u);
  EXPECT_NE(report.problems[0].find("alert_event_is_final"), std::string::npos);
  EXPECT_NE(report.problems[1].find("event of alerts 1"), std::string::npos) << report.problems[1];
}

}  // namespace
}  // namespace nsop::store
