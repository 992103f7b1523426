#include "harness/report/stored/alert_texts.h"

#include <fmt/format.h>

#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"

namespace nsop::report {

using judge::short_commit;

std::string change_text(const judge::AlertRow& row) {
  if (row.ratio == 1 && row.lo == 1 && row.hi == 1) return row.note;
  return fmt::format("{} [{}, {}]", change_text(row.ratio - 1), change_text(row.lo - 1),
                     change_text(row.hi - 1));
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
