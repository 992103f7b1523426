#include "harness/report/stored/alert_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"

namespace nsop::report {

using judge::short_commit;

std::string change_text(const judge::AlertRow& row) {
  if (row.ratio == 1 && row.lo == 1 && row.hi == 1) return row.note;
  return fmt::format("{} [{}, {}]", change_text(row.ratio - 1), change_text(row.lo - 1),
                     change_text(row.hi - 1));
}

std::string change_text(const judge::Alert& alert) {
  if (alert.rows.empty()) return "-";
  double lo = alert.rows[0].ratio, hi = lo;
  for (const judge::AlertRow& row : alert.rows) {
    lo = std::min(lo, row.ratio);
    hi = std::max(hi, row.ratio);
  }
  if (lo == 1 && hi == 1) return alert.kind;
  if (lo == hi) return change_text(lo - 1);
  return change_text(lo - 1) + " .. " + change_text(hi - 1);
}

std::string on_host_text(const judge::HostsOfChange& change, const judge::OnHost& host,
                         const std::map<std::string, Host>& names) {
  const auto known = names.find(host.host_id);
  const std::string model = known == names.end() ? "" : known->second.cpu_model + " ";
  const std::string name = fmt::format("{}({})", model, short_id(host.host_id));
  if (host.alert != nullptr) {
    return fmt::format("{} {} on {}, alert {}", change.first->direction, change_text(*host.alert),
                       name, host.alert->id);
  }
  return fmt::format("{} on {}, {} runs before and {} since",
                     judge::is_known(host) ? "no change found" : "not known", name, host.before,
                     host.after);
}

std::string culprit_text(const judge::Alert& alert) {
  if (alert.kind == "creep" || alert.state == judge::AlertState::kNoise || !alert.confirmed) {
    return short_commit(alert.last_good) + ".." + short_commit(alert.first_bad);
  }
  const std::string commit = short_commit(alert.first_bad) + " " + alert.subject;
  if (alert.candidates.empty()) return commit;
  return fmt::format("{} or one of {} before it that can't be judged", commit,
                     alert.candidates.size());
}

}  // namespace nsop::report
