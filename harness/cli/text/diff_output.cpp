#include "harness/cli/text/diff_output.h"

#include <fmt/color.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "harness/cli/text/table.h"
#include "harness/core/io/json.h"
#include "harness/report/base/format.h"
#include "harness/stats/between_runs.h"

namespace nsop::cli {
namespace {

using stats::Comparison;
using stats::DiffRow;
using stats::Verdict;

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

std::string counts_text(const Context& context, const stats::Diff& diff) {
  std::map<Verdict, int> counts;
  for (const DiffRow& row : diff.rows) ++counts[row.overall];
  std::string text;
  for (const auto& [verdict, n] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, colored(context, verdict));
  }
  return text;
}

}  // namespace

void show_diff(Context& context, const report::RunData& before, const report::RunData& after,
               const stats::Diff& diff, bool all) {
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
  print_rows(context, diff.rows, all);
  context.out << fmt::format("{} rows: {}\n", diff.rows.size(), counts_text(context, diff));
}

std::string tau_text(const judge::RunDiff& diff) {
  const stats::LearnedTau& learned = diff.learned;
  if (learned.tau > 0) {
    return fmt::format(
        "between runs of one build {} is expected (SD, learned from {} steps between runs of {} "
        "rows on this host)",
        report::share_text(diff.policy.tau), learned.steps, learned.rows);
  }
  return fmt::format(
      "between runs of one build {} is expected (SD, the default for this kind of host: no row has "
      "{} runs of one toolchain an hour apart)",
      report::share_text(diff.policy.tau), stats::kFewestRunsForTau);
}

}  // namespace nsop::cli
