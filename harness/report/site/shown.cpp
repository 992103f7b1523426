#include "harness/report/site/shown.h"

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/report/stored/run.h"
#include "harness/run/plan/named_suites.h"

namespace nsop::report {
namespace {

// Of a host's newest runs, so many are asked which suites they measured.
constexpr int kRunsAsked = 60;

// Variants that are there to be compared with: other libraries, and what a suite calls `before`.
std::set<std::string> rivals_of(const std::vector<Suite>& all) {
  std::set<std::string> rivals;
  for (const Suite& suite : all) {
    rivals.insert(suite.peers.begin(), suite.peers.end());
    if (!suite.before.variant.empty()) rivals.insert(suite.before.variant);
  }
  return rivals;
}

// The suites that a run measured; none where it measured single cases, or one that is gone.
std::vector<Suite> suites_measured_by(const Run& run, const std::vector<Suite>& all) {
  try {
    return run::measured_suites(all, run, {});
  } catch (const Error& error) {
    if (error.code() != ExitCode::kUsage) throw;
    return {};
  }
}

// The rows of one run as a suite: what is nobody's rival is ours.
Suite suite_of(const std::vector<RowKey>& rows, const std::set<std::string>& rivals) {
  Suite suite;
  suite.name = suite.title = kOtherRows;
  suite.form = "peers";
  std::vector<std::string> ours, others;
  for (const RowKey& row : rows) {
    std::vector<std::string>& side = rivals.contains(row.variant) ? others : ours;
    if (std::find(side.begin(), side.end(), row.variant) == side.end()) side.push_back(row.variant);
    std::vector<SuiteCase>& cases = suite.cases;
    if (cases.empty() || cases.back().line != row.case_text) {
      cases.emplace_back().line = row.case_text;
      cases.back().threads.clear();
    }
    std::vector<int>& threads = cases.back().threads;
    if (std::find(threads.begin(), threads.end(), row.threads) == threads.end()) {
      threads.push_back(row.threads);
    }
  }
  if (ours.empty()) std::swap(ours, others);
  suite.after = {ours.front()};
  for (size_t i = 1; i < ours.size(); ++i) suite.also.push_back({ours[i]});
  suite.peers = others;
  return suite;
}

// What a night says of these rows, as a run: it has no single invocations.
std::unique_ptr<const RunData> run_of(const judge::Night& night,
                                      const std::vector<const judge::NightRow*>& rows) {
  auto data = std::make_unique<RunData>();
  data->run.id = night.run_id;
  data->run.host_id = night.host.id;
  data->run.profile = night.profile;
  data->run.started_utc = night.started_utc;
  data->run.tool_version = night.tool_version;
  data->run.state = RunState::kComplete;
  data->host = night.host;
  Build build;
  build.id = build.commit = night.commit;
  data->builds = {build};
  for (const judge::NightRow* row : rows) {
    stats::RowSummary summary;
    summary.row = row->row;
    summary.status = row->status;
    summary.build_id = build.id;
    summary.inputs_sha256 = row->inputs_sha256;
    summary.invocations = row->invocations;
    summary.wall_ns = row->wall_ns;
    summary.verdict_ns = row->ns;
    if (row->allocs && row->bytes) {
      summary.allocs.emplace();
      summary.allocs->allocs_per_op = *row->allocs;
      summary.allocs->bytes_per_op = *row->bytes;
    }
    data->rows.push_back(std::move(summary));
  }
  return data;
}

}  // namespace

bool is_shown(const Run& run, const SiteChoice& choice) {
  if (run.state != RunState::kComplete || run.profile == "gate" || run.trust == "pr") return false;
  if (run.origin != "measured" && run.origin != "imported") return false;
  if (!choice.host.empty() && run.host_id != choice.host) return false;
  return run.started_utc >= choice.since;
}

std::set<std::string> suite_names_of(const Run& run, const std::vector<Suite>& all) {
  std::set<std::string> names;
  for (const Suite& suite : suites_measured_by(run, all)) names.insert(suite.name);
  return names;
}

ShownSuites::ShownSuites(const store::Store& store, const std::vector<store::RunSummary>& runs,
                         const std::vector<judge::Night>& nights, const std::vector<Suite>& all,
                         const SiteChoice& choice) {
  std::map<std::string, std::vector<store::RunSummary>> by_host;
  for (const store::RunSummary& one : runs) {
    if (is_shown(one.run, choice)) by_host[one.run.host_id].push_back(one);
  }
  for (const auto& [host_id, of_host] : by_host) {
    find_suites(store, of_host, all);
    find_other_rows(store, all, choice, host_id);
  }
  find_nights(nights, all, choice);
}

std::set<RowKey> ShownSuites::covered(const std::string& host_id) const {
  std::set<RowKey> rows;
  for (const std::unique_ptr<ShownSuite>& shown : suites_) {
    if (shown->run->run.host_id != host_id) continue;
    for (const stats::RowSummary* row : shown->context->shown()) rows.insert(row->row);
  }
  return rows;
}

const RunData& ShownSuites::loaded(const store::Store& store, const std::string& run_id) {
  std::unique_ptr<const RunData>& run = runs_[run_id];
  if (!run) run = std::make_unique<const RunData>(load_run(store, run_id));
  return *run;
}

const RunData* ShownSuites::limits_of(const store::Store& store, const RunData& run) {
  if (measured_limits(run.run)) return nullptr;
  const std::string& host_id = run.run.host_id;
  auto at = limits_.find(host_id);
  if (at == limits_.end()) at = limits_.emplace(host_id, run_with_limits(store, host_id)).first;
  return at->second ? &loaded(store, *at->second) : nullptr;
}

void ShownSuites::show(Suite suite, const RunData& run, const RunData* limits) {
  auto shown = std::make_unique<ShownSuite>();
  shown->suite = std::move(suite);
  shown->run = &run;
  shown->context = std::make_unique<const Context>(shown->suite, run, nullptr, limits);
  suites_.push_back(std::move(shown));
}

void ShownSuites::find_suites(const store::Store& store, const std::vector<store::RunSummary>& runs,
                              const std::vector<Suite>& all) {
  std::set<std::string> found;
  int asked = 0;
  for (const store::RunSummary& one : runs) {
    if (asked++ == kRunsAsked) break;
    for (Suite& suite : suites_measured_by(store.run(one.run.id), all)) {
      if (!found.insert(suite.name).second) continue;
      const RunData& run = loaded(store, one.run.id);
      show(std::move(suite), run, limits_of(store, run));
    }
    if (found.size() >= all.size()) break;
  }
}

void ShownSuites::find_other_rows(const store::Store& store, const std::vector<Suite>& all,
                                  const SiteChoice& choice, const std::string& host_id) {
  const std::set<RowKey> known = covered(host_id);
  const store::HostHistory history = store.history(host_id);
  std::map<std::string, std::vector<RowKey>> by_run;
  for (const RowKey& row : store.row_keys()) {
    if (known.contains(row)) continue;
    const std::vector<store::RowInRun> line = history.of(row);
    if (line.empty() || line.back().started_utc.str() < choice.since) continue;
    by_run[line.back().run_id].push_back(row);
  }
  const std::set<std::string> rivals = rivals_of(all);
  for (const auto& [run_id, rows] : by_run) {
    const RunData& run = loaded(store, run_id);
    show(suite_of(rows, rivals), run, limits_of(store, run));
  }
}

void ShownSuites::find_nights(const std::vector<judge::Night>& nights,
                              const std::vector<Suite>& all, const SiteChoice& choice) {
  const std::set<std::string> rivals = rivals_of(all);
  std::map<std::string, std::set<RowKey>> known;                         // by host
  for (auto night = nights.rbegin(); night != nights.rend(); ++night) {  // newest first
    const std::string& host_id = night->host.id;
    const bool chosen = choice.host.empty() || host_id == choice.host;
    if (!chosen || night->started_utc < choice.since || runs_.contains(night->run_id)) continue;
    if (!known.contains(host_id)) known[host_id] = covered(host_id);
    std::vector<const judge::NightRow*> rows;
    std::vector<RowKey> keys;
    for (const judge::NightRow& row : night->rows) {
      if (!known[host_id].insert(row.row).second) continue;
      rows.push_back(&row);
      keys.push_back(row.row);
    }
    if (rows.empty()) continue;
    std::unique_ptr<const RunData>& run = runs_[night->run_id];
    run = run_of(*night, rows);
    show(suite_of(keys, rivals), *run, nullptr);
  }
}

}  // namespace nsop::report
