#include "harness/shards/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/judge/gate/plan.h"
#include "harness/run/plan/plan.h"
#include "harness/shards/nodes.h"
#include "harness/stats/comparison.h"
#include "harness/store/record/parsed_run.h"
#include "harness/store/record/sealed.h"

namespace nsop::shards {
namespace {

namespace fs = std::filesystem;

ShardRun read_shard(const std::string& path, const Submission& submission, int index) {
  store::ParsedRun parsed = store::parse_run(read_file(path), path);
  const run::Plan plan = run::plan_from_json(parsed.run.plan_json);
  const bool is_ours = plan.shard && plan.shard->submission == submission.id &&
                       plan.shard->index == index && plan.shard->of == submission.shards;
  if (!is_ours) throw bad_data(path + ": this is not that shard of this submission");
  if (parsed.run.state != RunState::kComplete) throw bad_data(path + ": the shard isn't complete");
  std::set<RowKey> added;
  for (const run::PlanRow& row : plan.rows) {
    if (row.is_control) added.insert(row.key);
  }
  ShardRun shard{std::move(parsed.run), std::move(parsed.host), std::move(parsed.builds), {}, {}};
  for (Invocation& one : parsed.invocations) {
    // A control that the suites have, too, is both.
    if (judge::is_control(one.row)) shard.controls.push_back(one);
    if (!added.contains(one.row)) shard.rows.push_back(std::move(one));
  }
  return shard;
}

// What is known of a shard that has no file.
void describe_missing(const std::string& folder, ShardReport& report) {
  const std::string path = shard_database(folder, report.index);
  report.reason = "not begun";
  if (!fs::exists(path)) return;
  try {
    const store::Store store(path, store::Mode::kReadOnly);
    const auto runs = store.runs();
    if (runs.empty()) return;
    const Run run = store.run(runs.front().run.id);
    const run::Plan plan = run::plan_from_json(run.plan_json);
    report.node = plan.shard ? plan.shard->node : "";
    report.host_id = run.host_id;
    report.invocations = runs.front().ok + runs.front().not_ok;
    report.reason =
        fmt::format("begun on {} at {}, not finished: {} of {} invocations are stored", report.node,
                    run.started_utc, report.invocations, run.invocations_planned);
  } catch (const Error& error) {
    report.reason = error.what();
  }
}

// Sets aside the shards of nodes that disagree with the others of their kind.
void check_kinds(Shards& shards) {
  std::map<std::string, ControlsByNode> kinds;
  std::map<std::string, const ShardRun*> any;
  std::map<std::string, CaseFacts> facts;
  for (size_t i = 0; i < shards.reports.size(); ++i) {
    if (!shards.complete[i]) continue;
    const ShardRun& shard = *shards.complete[i];
    auto& of_node = kinds[shard.run.host_id][shards.reports[i].node];
    of_node.insert(of_node.end(), shard.controls.begin(), shard.controls.end());
    any[shard.run.host_id] = &shard;
    facts.insert(shard.run.facts.begin(), shard.run.facts.end());
  }
  for (const auto& [host_id, controls] : kinds) {
    const ShardRun& one = *any[host_id];
    const NodeCheck check =
        check_nodes(controls, facts, one.host, stats::default_policy(one.host, one.run.conditions));
    if (!check.doubt.empty()) shards.doubts.push_back(check.doubt);
    for (ShardReport& report : shards.reports) {
      const auto found = check.aside.find(report.node);
      if (report.state != ShardState::kComplete || report.host_id != host_id ||
          found == check.aside.end()) {
        continue;
      }
      report.state = ShardState::kAside;
      report.reason = fmt::format("{} is set aside: {}", report.node, found->second);
    }
  }
}

// What is wrong with the clock by which a shard was measured; durations are told by another one.
// Empty: nothing.
std::string clock_text(const ShardReport& report, const Run& run, const Submission& submission) {
  constexpr int64_t kApartS = 120;  // clocks of two machines differ by less
  const auto created = utc_seconds(submission.created_utc), begin = utc_seconds(run.started_utc),
             end = utc_seconds(run.ended_utc), now = utc_seconds(utc_now());
  if (!created || !begin || !end) return "";
  const std::string who = fmt::format("the clock of {}", report.node);
  if (*begin < *created - kApartS) {
    return fmt::format("{} is behind: by it shard {} began at {}, before it was submitted at {}",
                       who, report.index, run.started_utc, submission.created_utc);
  }
  if (*end > *now + kApartS) {
    return fmt::format("{} is ahead: by it shard {} ended at {}", who, report.index, run.ended_utc);
  }
  if (*end < *begin) {
    return fmt::format("{} was set back while shard {} was measured", who, report.index);
  }
  return "";
}

Json shards_json(const Shards& shards, const std::string& host_id) {
  Json list = Json::array();
  for (const ShardReport& report : shards.reports) {
    const bool of_other_kind = report.state == ShardState::kComplete && report.host_id != host_id;
    list.push_back(
        {{"index", report.index},
         {"state", of_other_kind ? "of another kind of host" : shard_state_text(report.state)},
         {"node", report.node},
         {"reason", report.reason}});
  }
  return list;
}

// What a kind of host should measure: all rows, but those of shards that another kind has measured.
run::Plan plan_of_kind(run::Plan plan, const Shards& shards, const std::string& host_id) {
  const int of = static_cast<int>(shards.reports.size());
  const std::map<std::string, int> shard_of = shards_of_cases(plan, of);
  const auto is_of_others = [&](const std::string& text_of_case) {
    const auto found = shard_of.find(text_of_case);
    if (found == shard_of.end()) return false;
    const ShardReport& report = shards.reports[static_cast<size_t>(found->second) - 1];
    return report.state == ShardState::kComplete && report.host_id != host_id;
  };
  std::erase_if(plan.rows,
                [&](const run::PlanRow& row) { return is_of_others(row.key.case_text); });
  std::erase_if(plan.cases, [&](const auto& one) { return is_of_others(one.first); });
  return plan;
}

// The run of a kind, as its shards have it together.
Run merged_run(const std::string& folder, const Submission& submission, const Shards& shards,
               const std::vector<const ShardRun*>& of_kind) {
  Run run = of_kind.front()->run;
  const std::string where = plan_file(folder, run.host_id);
  const std::string text = read_file(where);
  const run::Plan plan = plan_of_kind(run::plan_from_json(text), shards, run.host_id);
  Json json = parse_json(run::plan_to_json(plan, {}), where);
  json["workers"] = parse_json(text, where).at("workers");
  json["submission"] = submission.id;
  json["shards"] = shards_json(shards, run.host_id);
  run.plan_json = json.dump();
  run.invocations_planned = static_cast<int64_t>(plan.rows.size()) * (plan.profile.rounds + 1);
  run.facts.clear();
  for (const auto& [text_of_case, description] : plan.cases) {
    run.facts[text_of_case] = description.facts;
  }
  for (const ShardRun* shard : of_kind) {
    run.started_utc = std::min(run.started_utc, shard->run.started_utc);
    run.ended_utc = std::max(run.ended_utc, shard->run.ended_utc);
    Conditions& c = run.conditions;
    c.load1 = std::max(c.load1, shard->run.conditions.load1);
    c.steal_percent = std::max(c.steal_percent, shard->run.conditions.steal_percent);
  }
  const std::string now = utc_now();
  run.started_utc = std::min(std::max(run.started_utc, submission.created_utc), now);
  run.ended_utc = std::max(std::min(run.ended_utc, now), run.started_utc);
  return run;
}

// The n-th run into which a submission's shards of a kind are merged, from 1.
std::string merged_id(const Submission& submission, const std::string& host_id, int number) {
  return store::uuid_of("merged shards\n" + submission.id + "\n" + host_id +
                        (number > 1 ? fmt::format("\n{}", number) : ""));
}

// Shards of which may be stored what no file has any more.
std::set<int> open_shards(const std::string& folder, const Shards& shards) {
  std::set<int> open;
  for (const ShardReport& report : shards.reports) {
    const bool is_gone =
        report.state == ShardState::kMissing || report.state == ShardState::kDamaged;
    if (is_gone && !was_put_away(folder, report.index, "aside")) open.insert(report.index);
  }
  return open;
}

bool was_removed(const store::Store& store, const std::string& run_id) {
  const std::vector<store::RemovedRun> removed = store.removed_runs();
  return std::any_of(removed.begin(), removed.end(),
                     [&](const store::RemovedRun& one) { return one.run_id == run_id; });
}

// What the shards of a kind have together.
struct KindParts {
  std::vector<Build> builds;
  std::vector<Invocation> rows;  // by session: the shard
};

KindParts parts_of(const std::vector<const ShardRun*>& of_kind, const std::vector<int>& indices) {
  std::map<std::string, Build> builds;
  KindParts parts;
  for (size_t i = 0; i < of_kind.size(); ++i) {
    for (const Build& build : of_kind[i]->builds) builds[build.id] = build;
    for (const Invocation& one : of_kind[i]->rows) {
      parts.rows.push_back(one);
      parts.rows.back().session = indices[i];
    }
  }
  for (const auto& [id, build] : builds) parts.builds.push_back(build);
  return parts;
}

Merged::Kind merge_kind(const Submission& submission, Run run, const Host& host, KindParts parts,
                        const std::set<int>& open, store::Store& store) {
  Merged::Kind kind{"", run.host_id, host.cpu_model, 0, 0, run.state == RunState::kComplete, {}};
  for (int number = 1;; ++number) {
    run.id = merged_id(submission, run.host_id, number);
    if (was_removed(store, run.id)) continue;
    for (Invocation& one : parts.rows) one.run_id = run.id;
    const store::ExtendedRun extended = store.extend_run(run, host, parts.builds, parts.rows, open);
    if (extended.is_other) {
      kind.left.push_back(run.id);
      continue;
    }
    kind.run_id = run.id;
    kind.added = extended.added;
    kind.known = extended.known;
    return kind;
  }
}

}  // namespace

std::string shard_state_text(ShardState state) {
  switch (state) {
    case ShardState::kComplete:
      return "complete";
    case ShardState::kMissing:
      return "missing";
    case ShardState::kDamaged:
      return "damaged";
    case ShardState::kAside:
      return "set aside";
  }
  return "";
}

Shards read_shards(const std::string& folder, const Submission& submission) {
  Shards shards;
  shards.complete.resize(static_cast<size_t>(submission.shards));
  for (int index = 1; index <= submission.shards; ++index) {
    ShardReport report;
    report.index = index;
    const std::string path = shard_file(folder, index);
    if (!fs::exists(path)) {
      describe_missing(folder, report);
    } else {
      try {
        ShardRun shard = read_shard(path, submission, index);
        report.state = ShardState::kComplete;
        report.node = run::plan_from_json(shard.run.plan_json).shard->node;
        report.host_id = shard.run.host_id;
        report.invocations = static_cast<int64_t>(shard.rows.size());
        const std::string clock = clock_text(report, shard.run, submission);
        if (!clock.empty()) shards.clocks.push_back(clock);
        shards.complete[static_cast<size_t>(index) - 1] = std::move(shard);
      } catch (const Error& error) {
        if (error.code() != ExitCode::kBadData) throw;
        report.state = ShardState::kDamaged;
        report.reason = error.what();
      }
    }
    shards.reports.push_back(std::move(report));
  }
  check_kinds(shards);
  return shards;
}

Merged merge_shards(const std::string& folder, const Submission& submission, const Shards& shards,
                    store::Store& store) {
  std::map<std::string, std::pair<std::vector<const ShardRun*>, std::vector<int>>> kinds;
  bool is_complete = true;
  for (size_t i = 0; i < shards.reports.size(); ++i) {
    const ShardReport& report = shards.reports[i];
    is_complete &= report.state == ShardState::kComplete;
    if (report.state != ShardState::kComplete) continue;
    auto& [of_kind, indices] = kinds[report.host_id];
    of_kind.push_back(&*shards.complete[i]);
    indices.push_back(report.index);
  }
  Merged merged;
  for (const auto& [host_id, kind] : kinds) {
    const auto& [of_kind, indices] = kind;
    Run run = merged_run(folder, submission, shards, of_kind);
    run.state = is_complete ? RunState::kComplete : RunState::kAborted;
    merged.kinds.push_back(merge_kind(submission, std::move(run), of_kind.front()->host,
                                      parts_of(of_kind, indices), open_shards(folder, shards),
                                      store));
  }
  return merged;
}

}  // namespace nsop::shards
