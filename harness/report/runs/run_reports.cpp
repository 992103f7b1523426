#include "harness/report/runs/run_reports.h"

#include <set>
#include <utility>

#include "harness/judge/history/releases.h"
#include "harness/report/forms/forms.h"
#include "harness/report/model.h"
#include "harness/report/stored/history_status.h"
#include "harness/report/stored/releases.h"
#include "harness/report/stored/run.h"

namespace nsop::report {

RunReports::RunReports(const store::Store& store, const std::string& run_id, std::string previous,
                       std::string project, std::vector<Published> published)
    : store_(store),
      current_(load_run(store, run_id)),
      previous_(std::move(previous)),
      project_(std::move(project)),
      published_(std::move(published)),
      limits_(limits_for(store, current_.run)) {}

Json RunReports::of(const Suite& suite) {
  std::set<std::string> variants{suite.after.variant};
  for (const SuiteCase& one : suite.cases) {
    for (const Selector& selector : one.variants) variants.insert(selector.variant);
  }
  std::vector<RowKey> ours;
  for (const stats::RowSummary& row : current_.rows) {
    if (variants.contains(row.row.variant)) ours.push_back(row.row);
  }
  current_.history = history_status(store_, current_.run, ours);
  if (form_of(suite).lists_releases) return log_of(suite);
  return build_report(suite, current_, previous_of(suite.name), limits_, {}, published_);
}

const std::optional<RunData>& RunReports::previous_of(const std::string& suite) {
  const std::string id =
      previous_.empty() ? judge::previous_run(store_, current_.run, suite).value_or("") : previous_;
  std::optional<RunData>& kept = loaded_[id];  // of the empty id: none
  if (!kept && !id.empty()) kept = load_run(store_, id);
  return kept;
}

Json RunReports::log_of(const Suite& suite) {
  const std::vector<Release> releases = releases_of(store_, project_, suite, current_);
  std::optional<RunData> before;
  for (size_t i = 0; i + 1 < releases.size(); ++i) {
    if (releases[i].measured()) before = releases[i].data;
  }
  if (!previous_.empty()) before = previous_of(suite.name);
  return build_report(suite, current_, before, limits_, releases);
}

ExitCode exit_of_goals(int64_t missed) { return missed == 0 ? ExitCode::kOk : ExitCode::kFailed; }

}  // namespace nsop::report
