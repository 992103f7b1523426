#include "harness/judge/history/releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/core/io/json.h"
#include "harness/judge/history/reference_runs.h"

namespace nsop::judge {
namespace {

struct Named {
  LoggedRun run;
  std::string started_utc;
};

std::vector<Named> baselines_of(const store::Store& store, const Run& run) {
  std::vector<Named> named;
  for (const store::Baseline& b : store.baselines()) {
    if (b.host_id != run.host_id) continue;
    const std::string started = store.run(b.run_id).started_utc;
    if (started <= run.started_utc) named.push_back({{b.name, b.reason, "", b.run_id}, started});
  }
  return named;
}

std::vector<Named> named_by(const store::Store& store, const std::vector<std::string>& names,
                            const Run& run) {
  std::vector<Named> named;
  for (const std::string& name : names) {
    const std::string id = store.resolve_run(name, run.host_id);
    std::string reason;
    for (const store::Baseline& b : store.baselines()) {
      if (b.name == name && b.run_id == id) reason = b.reason;
    }
    named.push_back({{name, reason, "", id}, store.run(id).started_utc});
  }
  return named;
}

bool is_of(const store::RunSummary& run, const std::string& commit) {
  return std::any_of(run.commits.begin(), run.commits.end(),
                     [&](const std::string& own) { return own.starts_with(commit); });
}

// Empty for a run of single cases, and for one of another program.
std::vector<std::string> suites_of(const Run& run) {
  if (run.plan_json.empty()) return {};
  const Json plan = parse_json(run.plan_json, "plan of run " + short_id(run.id));
  return plan.value("suites", std::vector<std::string>());
}

bool measured_suite(const Run& run, const std::string& suite) {
  const std::vector<std::string> suites = suites_of(run);
  return std::find(suites.begin(), suites.end(), suite) != suites.end();
}

std::vector<LoggedRun> by_time(std::vector<Named> named, const Run& run) {
  std::stable_sort(named.begin(), named.end(),
                   [](const Named& a, const Named& b) { return a.started_utc < b.started_utc; });
  const auto own = std::find_if(named.begin(), named.end(),
                                [&](const Named& n) { return n.run.run_id == run.id; });
  if (own != named.end()) {
    std::rotate(own, own + 1, named.end());
  } else {
    named.push_back({{"this run", "", "", run.id}, run.started_utc});
  }
  std::vector<LoggedRun> runs;
  for (Named& n : named) runs.push_back(std::move(n.run));
  return runs;
}

std::vector<LoggedRun> releases_by_commit(const store::Store& store, const std::string& suite,
                                          const std::vector<NamedCommit>& listed, const Run& run) {
  const std::vector<store::RunSummary> stored = store.runs();  // newest first
  const auto serves = [&](const store::RunSummary& one, const std::string& commit) {
    return is_of(one, commit) && one.run.host_id == run.host_id && one.run.profile != "gate" &&
           one.run.state == RunState::kComplete && measured_suite(store.run(one.run.id), suite);
  };
  std::vector<LoggedRun> lines;
  for (const NamedCommit& release : listed) {
    const bool is_own = std::any_of(stored.begin(), stored.end(), [&](const auto& one) {
      return one.run.id == run.id && is_of(one, release.commit);
    });
    const auto found = std::find_if(stored.begin(), stored.end(),
                                    [&](const auto& one) { return serves(one, release.commit); });
    const std::string id = is_own ? run.id : found != stored.end() ? found->run.id : "";
    lines.push_back({release.name, "", release.commit, id});
    if (is_own) return lines;
  }
  std::vector<Named> baselines = baselines_of(store, run);
  std::erase_if(baselines, [&](const Named& one) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const LoggedRun& line) { return line.run_id == one.run.run_id; });
  });
  for (LoggedRun& line : by_time(std::move(baselines), run)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::vector<LoggedRun> logged_runs(const store::Store& store, const Suite& suite,
                                   const std::vector<NamedCommit>& listed, const Run& run) {
  if (!suite.releases.empty()) return by_time(named_by(store, suite.releases, run), run);
  if (!listed.empty()) return releases_by_commit(store, suite.name, listed, run);
  return by_time(baselines_of(store, run), run);
}

std::vector<NamedCommit> lacking_releases(const store::Store& store, const std::string& project,
                                          const std::string& suite, const std::string& host_id) {
  const std::string path = project + "/" + kReleasesFile;
  const std::vector<NamedCommit> listed = load_releases(path);
  if (listed.empty()) {
    throw usage_error(path + ": lists no release; give it [[release]] tables, name and commit");
  }
  Suite log;
  log.name = suite;
  Run own;
  own.host_id = host_id;
  std::vector<NamedCommit> lacking;
  for (const LoggedRun& line : logged_runs(store, log, listed, own)) {
    if (line.run_id.empty() && !line.commit.empty()) lacking.push_back({line.name, line.commit});
  }
  return lacking;
}

std::optional<std::string> previous_run(const store::Store& store, const Run& run,
                                        const std::string& suite) {
  const std::set<std::string> afterwards = backfilled_runs(store, run.host_id);
  if (afterwards.contains(run.id)) return std::nullopt;
  const bool of_suites = !suites_of(run).empty();  // else any run before serves
  for (auto id = store.previous_run(run.id); id; id = store.previous_run(*id)) {
    if (afterwards.contains(*id)) continue;
    if (!of_suites || measured_suite(store.run(*id), suite)) return id;
  }
  return std::nullopt;
}

void must_be_baseline(const Run& run) {
  if (run.state != RunState::kComplete) {
    throw usage_error(fmt::format("run {} is {}: only a complete run can be a baseline",
                                  short_id(run.id), run_state_text(run.state)));
  }
  if (run.profile == "gate") {
    throw usage_error(
        fmt::format("run {} is a gate, which has two builds: `nsop list runs` shows other runs",
                    short_id(run.id)));
  }
}

}  // namespace nsop::judge
