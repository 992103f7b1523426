#include "harness/report/base/footer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/goals/goal_reasons.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

std::string dispatched_text(const Json& dispatched) {
  std::vector<std::string> parts;
  for (const Json& one : dispatched) {
    parts.push_back(one["variant"].get<std::string>() + " -> " +
                    join(one["targets"].get<std::vector<std::string>>(), ", "));
  }
  if (parts.empty()) return "nothing was measured";
  const std::string text = join(parts, "; ");
  const bool avx3 = text.find("AVX3") != std::string::npos;
  return avx3 ? text + ". " + kAvx3Text : text;
}

std::string threads_text(const std::vector<const Summary*>& rows) {
  std::set<int> threads;
  for (const Summary* row : rows) threads.insert(row->row.threads);
  std::vector<std::string> parts;
  for (int n : threads) parts.push_back(std::to_string(n));
  return parts.empty() ? "none" : join(parts, ", ");
}

// A row compared with itself has ratio 1 and the interval that any comparison of its kind has: what
// lies inside could not have been told from nothing.
std::string resolution_text(const Context& context, const std::vector<const Summary*>& rows) {
  std::vector<double> widths;
  for (const Summary* row : rows) {
    if (!usable(row)) continue;
    const stats::Comparison self =
        stats::compare_unpaired(*row, *row, context.bound(row->row.case_text), context.policy());
    if (std::isfinite(self.hi) && self.hi > 1) widths.push_back(self.hi - 1);
  }
  if (widths.empty()) return "any change: there are too few invocations";
  const double widest = *std::max_element(widths.begin(), widths.end());
  const std::string noisiest =
      widest < 1 ? share_text(widest) + " of the noisiest row's" : "a doubling of the noisiest";
  return fmt::format(
      "against another run, a change within {} of a median row's time, or {}, at {:g} % "
      "confidence",
      share_text(stats::median(widths)), noisiest, 100 * context.policy().confidence);
}

std::string counts_text(const Context& context, const Json& summary) {
  const auto count = [&](const char* key) { return count_text(summary[key].get<double>()); };
  const std::string measured =
      fmt::format("{} measurements from {} invocations", count("rows"), count("invocations"));
  const std::string ours = fmt::format("{} wrong, {} failed", count("wrong"), count("failed"));
  const std::string open =
      counted_rows(summary["inconclusive"].get<size_t>()) +
      " of open tables inconclusive (other instruction sets and variants included)";
  if (context.suite().peers.empty()) return fmt::format("{}; {}, {}", measured, ours, open);
  const double failed =
      summary["peers_failed"].get<double>() - summary["peers_wrong"].get<double>();
  return fmt::format("{}; of our rows {}; of the peers' rows {} wrong, {} failed; {}", measured,
                     ours, count("peers_wrong"), count_text(failed), open);
}

std::string goals_text(const Json& summary) {
  const auto count = [&](const char* key) { return count_text(summary[key].get<double>()); };
  const std::string apart =
      summary["goals_apart"].get<int>() == 0
          ? ""
          : fmt::format("; {} on rows of shortcuts, which stand apart", count("goals_apart"));
  return fmt::format("{} met, {} missed, {} inconclusive, {} not judged{}", count("goals_met"),
                     count("goals_missed"), count("goals_inconclusive"), count("goals_not_judged"),
                     apart);
}

// Does the report speak of this limit: by a row that it bounds, or in a list of limits?
bool is_used(const Context& context, const BandwidthKey& limit) {
  const std::vector<CaseRow>& rows = context.rows();
  return std::any_of(rows.begin(), rows.end(), [&](const CaseRow& row) {
    const auto roof = context.roof({row.text, "", "", row.threads});
    const bool bounds = roof && roof->bound == Roof::Bound::kMemory &&
                        (roof->bandwidth == limit || roof->other == limit);
    return bounds || (limit.traffic == Traffic::kCopy && limit.threads == row.threads);
  });
}

bool has_rows_between(const Context& context) {
  const std::vector<CaseRow>& rows = context.rows();
  return std::any_of(rows.begin(), rows.end(), [&](const CaseRow& row) {
    const auto roof = context.roof({row.text, "", "", row.threads});
    return roof && !roof->certain();
  });
}

// The limits of the report that a row beats, each with that row: `L2 triad on 1 thread (add
// n=100000 of hwy@AVX3 reaches 118 % of it)`.
std::string beaten_text(const Context& context) {
  std::vector<std::string> parts;
  for (const BeatenLimit& one : context.beaten_limits()) {
    if (!is_used(context, one.limit)) continue;
    const RowKey& by = one.by->row;
    const std::string threads =
        by.threads == one.limit.threads ? "" : fmt::format(" on {} threads", by.threads);
    const char* where = one.elsewhere ? ", in the run that measured it" : "";
    parts.push_back(fmt::format("{} ({} of {}{} reaches {} of it{})", bandwidth_text(one.limit),
                                by.case_text, who(*one.by), threads, share_text(one.share), where));
  }
  return join(parts, "; ");
}

// `118 GFLOP/s, L1 235 GB/s, L2 ...` of one thread, and where they come from.
std::string limits_text(const Context& context) {
  const Run* run = context.limits_run();
  if (run == nullptr) {
    return "not measured on this host: no row has a share of the machine's limit; run "
           "\"nsop run --suite limits\"";
  }
  std::vector<std::string> parts;
  const Limits& limits = context.limits();
  if (const auto peak = limits.peak(1)) parts.push_back(flop_rate_text(*peak));
  for (const Level level : {Level::kL1, Level::kL2, Level::kL3, Level::kDram}) {
    const auto bandwidth = limits.bandwidth(level, Traffic::kCopy, 1);
    if (!bandwidth) continue;
    const bool doubt = context.is_beaten(limits.measured(level, Traffic::kCopy, 1));
    parts.push_back(level_text(level) + " " + byte_rate_text(*bandwidth) + (doubt ? " ?" : ""));
  }
  const bool same = run->id == context.current().run.id;
  return fmt::format("one thread, copying: {}; measured by {}", join(parts, ", "),
                     same ? "this run" : fmt::format("run {} of {}", run->id, run->started_utc));
}

bool shows_verdicts(const Json& sections) {
  const auto has_verdict = [](const Json& row) {
    return std::any_of(row["cells"].begin(), row["cells"].end(),
                       [](const Json& cell) { return cell.contains("verdict"); });
  };
  return std::any_of(sections.begin(), sections.end(), [&](const Json& section) {
    const Json& tables = section["tables"];
    return std::any_of(tables.begin(), tables.end(), [&](const Json& table) {
      return std::any_of(table["rows"].begin(), table["rows"].end(), has_verdict);
    });
  });
}

std::string verdicts_text(const stats::Policy& policy) {
  return fmt::format(
      "better and worse: the whole interval lies beyond a margin of {:g} % (rows of much "
      "arithmetic), {:g} % (what a cache holds) or {:g} % (beyond caches); same: all of it lies "
      "within; inconclusive: neither, also where a difference is certain, but not whether it "
      "reaches the margin",
      100 * policy.floor_core, 100 * policy.floor_cache, 100 * policy.floor_dram);
}

std::string method_text() {
  return fmt::format(
      "value of an invocation: its fastest repetition; of a row: the median over invocations, each "
      "a process of its own, variants interleaved; times shown are wall time; speedups are paired "
      "by round with {:g} % intervals; below a factor of two a ratio is told as the change of the "
      "time in per cent, from two on as "
      "'x faster' (old time / new time) or 'x slower' (new / old); it is the mean over rounds and "
      "may differ from the quotient of the two times, each a median of its own rounds",
      100 * kSpeedupConfidence);
}

bool is_inconclusive(const Json& row) {
  return std::any_of(row["cells"].begin(), row["cells"].end(), [](const Json& cell) {
    return cell.contains("verdict") && cell["verdict"] == "inconclusive";
  });
}

void add(Json& items, const std::string& label, const std::string& text) {
  Json item;
  item["label"] = label;
  item["text"] = text;
  items.push_back(item);
}

}  // namespace

std::string noise_text(const std::vector<const Summary*>& rows) {
  std::vector<double> spread;
  double preempted = 0, repetitions = 0;
  int invocations = 0;
  for (const Summary* row : rows) {
    if (!usable(row)) continue;
    invocations += row->invocations;
    if (row->invocations > 1) spread.push_back(row->relative_sd);
    preempted += row->preempted_share * row->repetitions;
    repetitions += row->repetitions;
  }
  if (repetitions == 0) return "nothing was timed";
  // The fastest repetition alone, of a thinned run or of slow rows, tells no share.
  const std::string share = repetitions > invocations ? share_text(preempted / repetitions) +
                                                            " of the repetitions preempted"
                                                      : "of each invocation one repetition is kept";
  if (spread.empty()) return "one invocation per row tells no spread; " + share;
  return "median relative SD between invocations " + share_text(stats::median(spread)) + "; " +
         share;
}

std::string counted_rows(size_t count) {
  return fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

std::string commits_text(const RunData& data) {
  constexpr size_t kShort = 12;
  std::vector<std::string> commits;
  for (const Build& build : data.builds) {
    const std::string text =
        build.commit.substr(0, kShort) + (build.dirty ? " (with uncommitted changes)" : "");
    if (std::find(commits.begin(), commits.end(), text) == commits.end()) commits.push_back(text);
  }
  return commits.empty() ? "unknown" : join(commits, ", ");
}

std::string host_text(const Host& host) {
  std::string text =
      fmt::format("{}, {} cores, {} threads", host.cpu_model, host.cores, host.threads);
  for (const auto& [name, bytes] : host.cache_bytes) {
    text += fmt::format(", {} {}", name, human_bytes(static_cast<double>(bytes)));
  }
  const bool named = !host.hypervisor.empty() && host.hypervisor != "unknown";
  text += host.hypervisor.empty() ? ", bare metal"
          : named                 ? ", under " + host.hypervisor
                                  : ", in a virtual machine";
  return text;
}

std::string system_text(const Conditions& c) {
  const auto known = [](const std::string& value) { return value.empty() ? "unknown" : value; };
  return fmt::format("kernel {}, {}, governor {}, turbo {}, ASLR {}, load {:.2f}, steal {:.1f} %",
                     known(c.kernel), known(c.os), known(c.governor), known(c.turbo), known(c.aslr),
                     c.load1, c.steal_percent);
}

std::string build_text(const Build& build) {
  constexpr size_t kShortCommit = 12;
  const std::string commit = fmt::format("{}{}", build.commit.substr(0, kShortCommit),
                                         build.dirty ? " (with uncommitted changes)" : "");
  // Of programs of others, nobody knows how they were built.
  if (build.compiler.empty()) return fmt::format("{}, {}, {}", commit, build.libc, build.engine);
  return fmt::format("{}, {} {}, {}, {}, {}", commit, build.compiler, build.build_type, build.flags,
                     build.libc, build.engine);
}

Json summary_json(const Context& context, const Json& sections, const std::vector<GoalRow>& goals) {
  int64_t rows = 0, invocations = 0, wrong = 0, failed = 0, inconclusive = 0;
  int64_t peers_failed = 0, peers_wrong = 0;
  const std::vector<std::string>& peers = context.suite().peers;
  for (const Summary* row : context.shown()) {
    const bool peer = std::find(peers.begin(), peers.end(), row->row.variant) != peers.end();
    const bool bad = row->status != Status::kOk && row->status != Status::kUnsupported;
    ++rows;
    invocations += row->invocations;
    wrong += !peer && row->status == Status::kWrong;
    failed += !peer && bad && row->status != Status::kWrong;
    peers_failed += peer && bad;
    peers_wrong += peer && row->status == Status::kWrong;
  }
  const auto judged = [&](GoalResult result) {
    return std::count_if(goals.begin(), goals.end(),
                         [&](const GoalRow& row) { return row.result == result && !row.apart; });
  };
  const auto apart =
      std::count_if(goals.begin(), goals.end(), [](const GoalRow& row) { return row.apart; });
  const auto unexplained_count = std::count_if(goals.begin(), goals.end(), [&](const GoalRow& row) {
    return unexplained(context.suite(), row);
  });
  for (const Json& section : sections) {
    for (const Json& table : section["tables"]) {
      if (table["collapsed"]) continue;
      inconclusive += std::count_if(table["rows"].begin(), table["rows"].end(), is_inconclusive);
    }
  }
  return {{"rows", rows},
          {"invocations", invocations},
          {"wrong", wrong},
          {"failed", failed},
          {"peers_failed", peers_failed},
          {"peers_wrong", peers_wrong},
          {"inconclusive", inconclusive},
          {"skipped", context.skipped()},
          {"goals_met", judged(GoalResult::kMet)},
          {"goals_missed", judged(GoalResult::kMissed)},
          {"goals_inconclusive", judged(GoalResult::kInconclusive)},
          {"goals_not_judged", judged(GoalResult::kNotJudged)},
          {"goals_apart", apart},
          {"goals_unexplained", unexplained_count}};
}

Json dispatched_json(const Context& context) {
  std::vector<Selector> roles{context.suite().before, context.suite().after};
  if (roles[0].variant.empty()) roles.erase(roles.begin());
  roles.insert(roles.end(), context.suite().also.begin(), context.suite().also.end());
  roles.insert(roles.end(), context.suite().beside.begin(), context.suite().beside.end());
  for (const std::string& peer : context.suite().peers) roles.push_back({peer, "best"});
  Json out = Json::array();
  for (const Selector& role : roles) {
    std::vector<std::string> targets;
    for (const CaseRow& row : context.rows()) {
      const Summary* found = context.find(row, role);
      if (!usable(found)) continue;  // without a time, a target says what it couldn't run on
      const std::string& target = found->row.target;
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
        targets.push_back(target);
      }
    }
    if (targets.empty()) continue;
    Json one;
    one["variant"] = role_text(role);
    one["targets"] = targets;
    out.push_back(one);
  }
  return out;
}

Json footer_json(const Context& context, const Json& report) {
  const Json& summary = report["summary"];
  const std::vector<const Summary*> rows = context.shown();
  Json items = Json::array();
  add(items, "Host", host_text(context.current().host));
  add(items, "System", system_text(context.current().run.conditions));
  if (!context.current().nodes.empty()) add(items, "Nodes", context.current().nodes);
  std::set<std::string> builds;  // peers of one compiler and commit share a line
  for (const Build& build : context.current().builds) {
    if (builds.insert(build_text(build)).second) add(items, "Build", build_text(build));
  }
  add(items, "ISA or version", dispatched_text(report["dispatched"]));
  add(items, "Threads", threads_text(rows));
  add(items, "Noise", noise_text(rows));
  add(items, "Can't be told from noise", resolution_text(context, rows));
  add(items, "Rows", counts_text(context, summary));
  if (!context.suite().goals.empty()) add(items, "Goals", goals_text(summary));
  add(items, "Machine's limits", limits_text(context));
  if (has_rows_between(context)) {
    add(items, "Between two levels",
        "where a cache holds half of what a row moves, but not all of it, no bandwidth is "
        "known: the row has no share of a limit, decides no goal by one and puts none in doubt");
  }
  const std::string beaten = beaten_text(context);
  if (!beaten.empty()) {
    add(items, "Limits in doubt",
        "rows beat them by more than the error of measuring, so no row has a share of them and no "
        "goal is judged by them: " +
            beaten +
            (context.has_limits_of_another_run() ? ". Measure the suite limits again" : ""));
  }
  if (shows_verdicts(report["sections"])) {
    add(items, "Verdicts", verdicts_text(context.policy()));
  }
  add(items, "Method", method_text());
  return items;
}

}  // namespace nsop::report
