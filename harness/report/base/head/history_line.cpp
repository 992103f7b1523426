#include "harness/report/base/head/history_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/core/text.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

std::string change_of(const judge::AlertRow& row) {
  if (row.ratio == 1 && row.lo == 1 && row.hi == 1) return row.note;
  return fmt::format("{} time [{}, {}]", change_text(row.ratio - 1), change_text(row.lo - 1),
                     change_text(row.hi - 1));
}

std::string alerts_text(const std::vector<std::string>& alerts) {
  constexpr size_t kShown = 3;
  const std::vector<std::string> shown(
      alerts.begin(), alerts.begin() + static_cast<long>(std::min(kShown, alerts.size())));
  return join(shown, "; ") + (alerts.size() > kShown ? "; ..." : "");
}

}  // namespace

std::string history_line(const Context& context) {
  const std::optional<HistoryStatus>& status = context.current().history;
  if (!status) return "";
  std::map<RowKey, std::string> names;
  for (const CaseRow& row : context.rows()) {
    for (const Selector& selector : context.ours_of(row)) {
      const stats::RowSummary* ours = context.find(row, selector);
      if (ours != nullptr) names.emplace(ours->row, context.own_name(row, selector));
    }
  }
  if (names.empty()) return "";
  size_t enough = 0, most = 0;
  for (const auto& [row, runs] : status->runs) {
    if (!names.contains(row)) continue;
    most = std::max(most, runs);
    enough += runs >= status->fewest ? 1 : 0;
  }
  std::vector<std::string> alerts;
  for (const judge::Alert& alert : status->waiting) {
    for (const judge::AlertRow& row : alert.rows) {
      const auto name = names.find(row.row);
      if (name == names.end()) continue;
      alerts.push_back(fmt::format("{} {} since {} ({}, alert {})", name->second, change_of(row),
                                   alert.first_bad.substr(0, 12), judge::state_text(alert.state),
                                   alert.id));
    }
  }
  const std::string begin = "Status against this machine's history: ";
  if (!alerts.empty()) {
    return fmt::format("{}alerts wait for {}: {}.", begin, counted_rows(alerts.size()),
                       alerts_text(alerts));
  }
  if (most == 0) {
    return fmt::format("{}none. No earlier run is stored, and `nsop check` needs {}.", begin,
                       status->fewest);
  }
  if (enough == 0) {
    return fmt::format("{}none. No row has more than {} earlier run{}, and `nsop check` needs {}.",
                       begin, most, most == 1 ? "" : "s", status->fewest);
  }
  return fmt::format(
      "{}no alert waits for a row of this page. {} of {} {} the {} earlier runs that `nsop check` "
      "needs.",
      begin, enough, counted_rows(names.size()), enough == 1 ? "has" : "have", status->fewest);
}

}  // namespace nsop::report
