#include "harness/report/site/run_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/history/diff.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/site/cases.h"
#include "harness/report/site/shown.h"
#include "harness/report/site/site_links.h"
#include "harness/report/stored/run.h"

namespace nsop::report {
namespace {

using stats::DiffRow;
using stats::Verdict;

constexpr size_t kRunsOfAHost = 8;  // any two of them are compared

std::string commit_of(const RunData& data) {
  std::set<std::string> commits;
  for (const Build& build : data.builds) {
    if (!build.commit.empty()) commits.insert(judge::short_commit(build.commit));
  }
  return join(std::vector<std::string>(commits.begin(), commits.end()), ", ");
}

bool in_both(const DiffRow& row) { return row.before && row.after; }

// Of a row in both runs.
bool has_interval(const DiffRow& row) {
  return row.before->status == Status::kOk && row.after->status == Status::kOk && row.time.lo > 0 &&
         std::isfinite(row.time.hi);
}

std::string change_of(const DiffRow& row) {
  if (!has_interval(row)) return "no interval";
  return fmt::format("{} [{}, {}]", change_text(row.time.ratio - 1), change_text(row.time.lo - 1),
                     change_text(row.time.hi - 1));
}

// `2026-11-20 03:00, 4a5b6c7d: layers, matched`
std::string run_text(const Run& run, const std::vector<Suite>& all) {
  const std::set<std::string> names = suite_names_of(run, all);
  const std::string suites = join(std::vector<std::string>(names.begin(), names.end()), ", ");
  return fmt::format("{}, {}: {}", minute_text(run.started_utc), short_id(run.id),
                     suites.empty() ? "single cases" : suites);
}

std::string refused(const RunPair& pair, const std::string& why) {
  return fmt::format("--compare {} {}: {}", short_id(pair.before), short_id(pair.after), why);
}

std::string exact_text(const DiffRow& row) {
  const std::string allocs = changed_allocations(row.before->allocs, row.after->allocs);
  return allocs.empty() ? "" : "allocations " + allocs;
}

Json row_json(const DiffRow& row) {
  const RowKey& key = row.row;
  const bool timed = has_interval(row);
  return {{"case", key.case_text},
          {"case_id", case_id(key.case_text)},
          {"who", key.variant + "@" + key.target},
          {"threads", key.threads},
          {"verdict", stats::verdict_text(row.overall)},
          {"note", row.time.note},
          {"rounds", row.after->invocations},
          {"paired", row.time.paired},
          {"exact", exact_text(row)},
          {"ratio", timed ? Json(row.time.ratio) : Json()},
          {"lo", timed ? Json(row.time.lo) : Json()},
          {"hi", timed ? Json(row.time.hi) : Json()},
          {"text", change_of(row)}};
}

std::string headline_of(const std::vector<DiffRow>& rows) {
  std::map<Verdict, int> counts;
  size_t shared = 0;
  for (const DiffRow& row : rows) {
    if (!in_both(row)) continue;
    ++counts[row.overall];
    ++shared;
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, stats::verdict_text(verdict)));
  }
  const std::string rest =
      shared < rows.size() ? fmt::format("; {} in one of them only", rows.size() - shared) : "";
  return fmt::format("{} of {} rows in both runs{}", join(parts, ", "), shared, rest);
}

std::string outcome_of(const stats::Diff& diff) {
  const ExitCode code = judge::exit_of(diff, true);
  if (code == ExitCode::kOk) return "passed";
  return code == ExitCode::kFailed ? "worse" : "inconclusive";
}

// Null without a row in both.
std::optional<Json> pair_json(const store::Store& store, const RunData& before,
                              const RunData& after, const std::vector<Suite>& all) {
  const judge::RunDiff found =
      judge::diff_runs(store, {before.run, before.host, before.builds, before.rows},
                       {after.run, after.host, after.builds, after.rows});
  if (!judge::has_common_row(found.diff)) return std::nullopt;
  Json rows = Json::array();
  for (const DiffRow& row : found.diff.rows) {
    if (in_both(row)) rows.push_back(row_json(row));
  }
  const std::string first = short_id(before.run.id), second = short_id(after.run.id);
  return Json{{"kind", "gate"},
              {"of", "runs"},
              {"id", first + second},
              {"title", fmt::format("Run {} after {}", second, first)},
              {"utc", minute_text(after.run.started_utc)},
              {"before", run_text(before.run, all)},
              {"after", run_text(after.run, all)},
              {"base", commit_of(before)},
              {"head", commit_of(after)},
              {"host", short_id(after.host.id)},
              {"headline", headline_of(found.diff.rows)},
              {"outcome", outcome_of(found.diff)},
              {"worth", found.policy.floor_cache},
              {"same", found.policy.floor_cache},
              {"rows", std::move(rows)}};
}

// How much two runs have to do with each other: the suites that both measured; 1 where both
// measured single cases.
int64_t shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty() ? 1 : 0;
  return std::count_if(a.begin(), a.end(),
                       [&](const std::string& name) { return b.contains(name); });
}

// The pairs of one host.
class HostPairs {
 public:
  // `runs` are the host's, newest first.
  HostPairs(const store::Store& store, const std::vector<const Run*>& runs,
            const std::vector<Suite>& all)
      : store_(store), runs_(runs), all_(all) {
    for (const Run* run : runs) names_.push_back(suite_names_of(store.run(run->id), all));
  }

  void send(const PairSink& sink) {
    for (size_t i = 0; i < runs_.size() && i < kRunsOfAHost; ++i) {
      bool found = false;
      for (const size_t j : partners(i)) {
        if (found && j >= kRunsOfAHost) continue;
        auto pair = pair_json(store_, loaded(j), loaded(i), all_);
        found = found || pair;
        if (pair) sink(*pair);
      }
    }
  }

 private:
  // Of the runs that are older than number `i`, newest first, those that share something: most
  // first.
  std::vector<size_t> partners(size_t i) const {
    std::vector<size_t> order;
    for (size_t j = i + 1; j < names_.size(); ++j) {
      if (shared(names_[i], names_[j]) > 0) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return shared(names_[i], names_[a]) > shared(names_[i], names_[b]);
    });
    return order;
  }

  const RunData& loaded(size_t at) {
    const auto known = data_.find(at);
    return known != data_.end() ? known->second
                                : data_.emplace(at, load_run(store_, runs_[at]->id)).first->second;
  }

  const store::Store& store_;
  const std::vector<const Run*>& runs_;
  const std::vector<Suite>& all_;
  std::vector<std::set<std::string>> names_;
  std::map<size_t, RunData> data_;
};

}  // namespace

void send_run_pairs(const store::Store& store, const std::vector<store::RunSummary>& runs,
                    const std::vector<Suite>& all, const std::vector<RunPair>& asked,
                    const PairSink& sink) {
  std::map<std::string, std::vector<const Run*>> by_host;
  for (const store::RunSummary& one : runs) by_host[one.run.host_id].push_back(&one.run);
  std::set<std::string> sent;
  const PairSink once = [&](const Json& pair) {
    if (sent.insert(pair["id"].get<std::string>()).second) sink(pair);
  };
  for (const auto& [host_id, of_host] : by_host) HostPairs(store, of_host, all).send(once);
  for (const RunPair& pair : asked) {
    const auto made =
        pair_json(store, load_run(store, pair.before), load_run(store, pair.after), all);
    if (!made) throw usage_error(refused(pair, "no row is in both"));
    once(*made);
  }
}

void must_be_comparable(const store::Store& store, const RunPair& pair) {
  const Run before = store.run(pair.before), after = store.run(pair.after);
  if (before.id == after.id) throw usage_error(refused(pair, "one run twice"));
  if (before.host_id != after.host_id) {
    throw usage_error(refused(pair, "runs of two machines, which Compare sets side by side"));
  }
  for (const Run& run : {before, after}) {
    if (!is_shown(run, {})) {
      throw usage_error(refused(
          pair, short_id(run.id) + " is no complete run of this project's own, so no site has it"));
    }
  }
}

}  // namespace nsop::report
