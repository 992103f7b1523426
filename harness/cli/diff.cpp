// nsop diff: two stored runs, row by row.
#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/cli/session.h"
#include "harness/cli/table.h"
#include "harness/core/io/json.h"
#include "harness/judge/nightly/nights.h"
#include "harness/report/base/format.h"
#include "harness/stats/between_runs.h"

namespace nsop::cli {
namespace {

using stats::Comparison;
using stats::DiffRow;
using stats::Verdict;

struct DiffOptions {
  std::string before, after = "@last", filter;
  bool all = false;
};

void declare_diff(CLI::App& verb, DiffOptions& o) {
  verb.add_option("before", o.before, "Run: @last~1, uuid prefix, commit or baseline")->required();
  verb.add_option("after", o.after, "Run (default @last)");
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'tanh n=*'");
  verb.add_flag("--all", o.all, "Show rows with the verdict `same`, too");
}

using Counts = std::map<Verdict, int>;

Json comparison_json(const Comparison& c) {
  return {{"ratio", c.ratio},   {"lo", c.lo},         {"hi", c.hi},
          {"margin", c.margin}, {"paired", c.paired}, {"verdict", stats::verdict_text(c.verdict)},
          {"note", c.note}};
}

// What the verdict of the row is about; of a row with fewer or more of them the counts say it.
std::string note_of(const DiffRow& row) {
  if (row.time.verdict == row.overall) return row.time.note;
  if (row.allocs && row.allocs->verdict == row.overall && !row.allocs->note.empty()) {
    return "allocations: " + row.allocs->note;
  }
  if (row.bytes && row.bytes->verdict == row.overall && !row.bytes->note.empty()) {
    return "bytes: " + row.bytes->note;
  }
  return "time: " + stats::verdict_text(row.time.verdict) +
         (row.time.note.empty() ? "" : ", " + row.time.note);
}

Json row_json(const DiffRow& row) {
  Json json = {{"case", row.row.case_text},
               {"variant", row.row.variant},
               {"target", row.row.target},
               {"threads", row.row.threads},
               {"verdict", stats::verdict_text(row.overall)},
               {"note", note_of(row)},
               {"time", comparison_json(row.time)}};
  if (row.allocs) json["allocs_per_op"] = comparison_json(*row.allocs);
  if (row.bytes) json["bytes_per_op"] = comparison_json(*row.bytes);
  return json;
}

std::string time_of(const std::optional<stats::RowSummary>& side) {
  if (!side) return "-";
  return side->status == Status::kOk ? report::human_time(side->wall_ns)
                                     : status_text(side->status);
}

std::string exact_change(const DiffRow& row, const std::optional<Comparison>& comparison,
                         double AllocCounts::*field) {
  const auto value = [&](const std::optional<stats::RowSummary>& side) {
    return side && side->allocs ? report::count_text((*side->allocs).*field) : std::string("n/a");
  };
  const std::string before = value(row.before), after = value(row.after);
  const bool equal = comparison && comparison->verdict == Verdict::kSame;
  return equal ? after : before + " -> " + after;
}

std::string interval_text(const Comparison& c) {
  if (!std::isfinite(c.hi) || c.lo <= 0) return "-";  // too few values for any
  return fmt::format("[{}, {}]", report::change_text(c.lo - 1), report::change_text(c.hi - 1));
}

bool timed(const DiffRow& row) {
  return row.before && row.after && row.before->status == Status::kOk &&
         row.after->status == Status::kOk;
}

std::string colored(const Context& context, Verdict verdict) {
  const std::string word = stats::verdict_text(verdict);
  if (!context.color) return word;
  const auto color = verdict == Verdict::kWorse    ? fmt::terminal_color::red
                     : verdict == Verdict::kBetter ? fmt::terminal_color::green
                                                   : fmt::terminal_color::yellow;
  return fmt::format(fmt::fg(color), "{}", word);
}

void print_rows(Context& context, const std::vector<DiffRow>& rows, bool all) {
  Table table({{"verdict"},
               {"case"},
               {"variant"},
               {"threads", true},
               {"before", true},
               {"after", true},
               {"time change", true},
               {"interval", true},
               {"allocs/op", true},
               {"B/op", true},
               {"note"}});
  for (const Verdict v :
       {Verdict::kWorse, Verdict::kMissing, Verdict::kIncomparable, Verdict::kBetter,
        Verdict::kInconclusive, Verdict::kNew, Verdict::kSame}) {
    if (v == Verdict::kSame && !all) continue;
    for (const DiffRow& row : rows) {
      if (row.overall != v) continue;
      table.add({stats::verdict_text(v), row.row.case_text, row.row.variant + "@" + row.row.target,
                 fmt::format("{}", row.row.threads), time_of(row.before), time_of(row.after),
                 timed(row) ? report::change_text(row.time.ratio - 1) : "-",
                 timed(row) ? interval_text(row.time) : "-",
                 exact_change(row, row.allocs, &AllocCounts::allocs_per_op),
                 exact_change(row, row.bytes, &AllocCounts::bytes_per_op), note_of(row)});
    }
  }
  if (table.size() > 0) table.print(context.out);
}

std::string counts_text(const Context& context, const Counts& counts) {
  std::string text;
  for (const auto& [verdict, n] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, colored(context, verdict));
  }
  return text;
}

bool in_both(const DiffRow& row) { return row.before && row.after; }

// Of rows of one run only, nothing is known; that they are new is known when the run before ended.
ExitCode exit_code(const stats::Diff& diff, const Counts& counts, bool both_complete) {
  if (counts.contains(Verdict::kWorse)) return ExitCode::kFailed;
  const bool lost = std::any_of(diff.rows.begin(), diff.rows.end(), [](const DiffRow& row) {
    return row.overall == Verdict::kMissing && row.before->status == Status::kOk;
  });
  const bool undecided = counts.contains(Verdict::kInconclusive) ||
                         counts.contains(Verdict::kIncomparable) || lost || !diff.comparable;
  const bool unreached =
      !both_complete && !std::all_of(diff.rows.begin(), diff.rows.end(), in_both);
  const bool nothing = std::none_of(diff.rows.begin(), diff.rows.end(), in_both);
  return undecided || unreached || nothing ? ExitCode::kInconclusive : ExitCode::kOk;
}

void print(Context& context, const DiffOptions& o, const report::RunData& before,
           const report::RunData& after, const stats::Diff& diff, const Counts& counts) {
  if (context.json) {
    Json rows = Json::array();
    for (const DiffRow& row : diff.rows) rows.push_back(row_json(row));
    context.out << Json{{"schema", "nsop.diff/1"}, {"before", before.run.id},
                        {"after", after.run.id},   {"comparable", diff.comparable},
                        {"notes", diff.notes},     {"rows", std::move(rows)}}
                       .dump(2)
                << '\n';
    return;
  }
  context.out << fmt::format("{} ({}) against {} ({})\n", short_id(after.run.id),
                             after.run.started_utc, short_id(before.run.id),
                             before.run.started_utc);
  for (const std::string& note : diff.notes) context.out << note << '\n';
  print_rows(context, diff.rows, o.all);
  context.out << fmt::format("{} rows: {}\n", diff.rows.size(), counts_text(context, counts));
}

// What this host's past says of the noise between runs: steps of every row of the run.
stats::LearnedTau learn(const store::Store& store, const report::RunData& data) {
  std::map<RowKey, std::vector<double>> steps;
  for (const stats::RowSummary& row : data.rows) {
    std::vector<stats::RunValue> values;
    for (const judge::Point& point : judge::line_of(store, row.row, data.host.id)) {
      const auto at = judge::utc_seconds(point.started_utc);
      if (point.ns > 0 && at) values.push_back({point.ns, *at, point.segment});
    }
    steps[row.row] = stats::run_steps(values);
  }
  return stats::learn_tau(steps);
}

std::string tau_text(const stats::LearnedTau& learned, const stats::Policy& policy) {
  if (learned.tau > 0) {
    return fmt::format(
        "between runs of one build {} is expected (SD, learned from {} steps between runs of {} "
        "rows on this host)",
        report::share_text(policy.tau), learned.steps, learned.rows);
  }
  return fmt::format(
      "between runs of one build {} is expected (SD, the default for this kind of host: no row has "
      "{} runs of one toolchain an hour apart)",
      report::share_text(policy.tau), stats::kFewestRunsForTau);
}

// A run that ended early lacks rows that nobody lost.
void note_unfinished(const report::RunData& data, stats::Diff& diff) {
  if (data.run.state == RunState::kComplete) return;
  diff.notes.push_back(fmt::format("{} is {}: rows that it didn't reach are missing or new",
                                   short_id(data.run.id), run_state_text(data.run.state)));
}

ExitCode diff_verb(Context& context, const DiffOptions& o) {
  const store::Store store = open_for_reading(context.settings);
  const report::RunData before = load_run(store, store.resolve_run(o.before, this_host().id));
  const report::RunData after = load_run(store, store.resolve_run(o.after, this_host().id));
  if (before.run.id == after.run.id) {
    throw usage_error(fmt::format("'{}' and '{}' are the same run", o.before, o.after));
  }
  std::map<std::string, Build> builds;
  for (const report::RunData* data : {&before, &after}) {
    for (const Build& build : data->builds) builds[build.id] = build;
  }
  std::map<std::string, CaseFacts> facts = before.run.facts;
  facts.insert(after.run.facts.begin(), after.run.facts.end());
  const stats::LearnedTau learned = learn(store, after);
  const stats::Policy policy = stats::with_learned_tau(
      stats::noisier(stats::default_policy(after.host, after.run.conditions),
                     stats::default_policy(before.host, before.run.conditions)),
      learned);
  stats::Diff diff =
      stats::diff(before.rows, after.rows, facts, before.host, after.host, policy, builds);
  note_unfinished(before, diff);
  note_unfinished(after, diff);
  if (before.host.id == after.host.id) diff.notes.push_back(tau_text(learned, policy));
  std::erase_if(diff.rows, [&](const DiffRow& row) {
    return !o.filter.empty() && !case_matches(row.row.case_text, o.filter);
  });
  if (std::none_of(diff.rows.begin(), diff.rows.end(), in_both)) {
    diff.notes.push_back("no row is in both runs: nothing is compared");
  }
  Counts counts;
  for (const DiffRow& row : diff.rows) ++counts[row.overall];
  print(context, o, before, after, diff, counts);
  return exit_code(
      diff, counts,
      before.run.state == RunState::kComplete && after.run.state == RunState::kComplete);
}

}  // namespace

void add_diff(CLI::App& app, Context& context) {
  add_verb<DiffOptions>(app, context, "diff", "Compare two stored runs; exit 1 if a row is worse",
                        declare_diff, diff_verb);
}

}  // namespace nsop::cli
