#include "harness/judge/backfill/range.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/history/nights.h"
#include "harness/run/plan/plan.h"

namespace nsop::judge {
namespace {

void must_be_range(const BuildPlace& place, const BackfillRange& range) {
  const std::string from = commit_of(place, range.from), to = commit_of(place, range.to);
  if (from == to) {
    throw usage_error(
        fmt::format("--from {} and --to {} are the same commit, an empty range; `nsop run "
                    "--revision {}` measures one",
                    range.from, range.to, range.to));
  }
  if (is_ancestor(place, from, to)) return;
  throw usage_error(fmt::format("--from {} is no ancestor of --to {}{}", range.from, range.to,
                                is_shallow(place) ? "; the clone is shallow: git fetch --unshallow"
                                : is_ancestor(place, to, from)
                                    ? ", but grew from it: name the older commit by --from"
                                    : ": name a commit that the newer one grew from"));
}

bool may_be_night(const Run& run, const WantedNight& wanted) {
  const bool kept = run.origin == "measured" || run.origin == "imported";
  return kept && run.host_id == wanted.host_id && run.profile == wanted.profile &&
         run.trust != "pr" && run.state == RunState::kComplete;
}

bool has_all(std::vector<std::string> suites, const std::set<RowKey>& rows,
             const WantedNight& wanted) {
  const auto is_there = [&](const std::string& suite) {
    return std::find(suites.begin(), suites.end(), suite) != suites.end();
  };
  return std::all_of(wanted.suites.begin(), wanted.suites.end(), is_there) &&
         std::includes(rows.begin(), rows.end(), wanted.rows.begin(), wanted.rows.end());
}

// The build of ours that the run measured, if it has all that is wanted; else empty.
std::string build_of(const Run& run, const WantedNight& wanted) {
  if (run.plan_json.empty()) return {};  // another program's
  const run::Plan plan = run::plan_from_json(run.plan_json);
  std::set<RowKey> rows;
  for (const run::PlanRow& row : plan.rows) rows.insert(row.key);
  if (!has_all(plan.suites, rows, wanted)) return {};
  const std::string what = "plan of run " + short_id(run.id);
  const Json json = parse_json(run.plan_json, what);
  return read_fields(what,
                     [&] { return json_field<std::string>(json.at("workers").at(0), "build_id"); });
}

}  // namespace

std::vector<std::string> backfill_commits(const BuildPlace& place, const BackfillRange& range) {
  must_be_range(place, range);
  const std::vector<std::string> line = first_parents(place, range.from, range.to);
  std::vector<std::string> commits;
  for (size_t i = line.size(); i-- > 0;) {
    const bool listed =
        std::any_of(range.always.begin(), range.always.end(),
                    [&](const std::string& prefix) { return line[i].starts_with(prefix); });
    const bool end = i + 1 == line.size();
    if (end || listed || i % static_cast<size_t>(range.every) == 0) commits.push_back(line[i]);
  }
  return commits;
}

std::map<std::string, PresentNight> present_nights(const store::Store& store,
                                                   const WantedNight& wanted,
                                                   const std::set<std::string>& commits) {
  std::map<std::string, PresentNight> present;
  for (const store::RunSummary& one : store.runs()) {  // newest first
    const bool concerned =
        std::any_of(one.commits.begin(), one.commits.end(), [&](const std::string& commit) {
          return commits.contains(commit) && !present.contains(commit);
        });
    if (!concerned || !may_be_night(one.run, wanted)) continue;
    const std::string build_id = build_of(store.run(one.run.id), wanted);
    if (build_id.empty()) continue;
    const Build build = store.build(build_id);
    if (!build.dirty) present.try_emplace(build.commit, PresentNight{one.run.id, build_id});
  }
  return present;
}

std::map<std::string, PresentNight> present_files(const std::string& folder,
                                                  const WantedNight& wanted) {
  std::map<std::string, PresentNight> present;
  for (const Night& night : read_nights(folder)) {
    std::set<RowKey> rows;
    for (const NightRow& row : night.rows) rows.insert(row.row);
    const bool fits = night.host.id == wanted.host_id && night.profile == wanted.profile &&
                      has_all(wanted.suites, rows, wanted);
    if (fits) present[night.commit] = {night.run_id, ""};
  }
  return present;
}

}  // namespace nsop::judge
