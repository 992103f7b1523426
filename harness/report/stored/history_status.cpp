#include "harness/report/stored/history_status.h"

#include <map>
#include <utility>

#include "harness/judge/history/alert.h"
#include "harness/stats/history/change_points.h"

namespace nsop::report {

HistoryStatus history_status(const store::Store& store, const Run& run,
                             const std::vector<RowKey>& rows) {
  HistoryStatus status;
  status.fewest = stats::ChangePolicy{}.fewest;
  const std::string& now = run.ended_utc.empty() ? run.started_utc : run.ended_utc;
  const std::map<RowKey, size_t> before = store.runs_before(run.host_id, run.started_utc);
  for (const RowKey& row : rows) {
    if (const auto found = before.find(row); found != before.end()) status.runs.insert(*found);
  }
  std::vector<store::AlertEvent> events = store.alert_events();
  std::erase_if(events, [&](const store::AlertEvent& event) { return event.at_utc > now; });
  for (judge::Alert& alert : judge::alerts_of(events, now)) {
    if (alert.host_id != run.host_id || !judge::is_waiting(alert.state)) continue;
    status.waiting.push_back(std::move(alert));
  }
  return status;
}

}  // namespace nsop::report
