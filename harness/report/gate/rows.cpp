#include "harness/report/gate/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "harness/core/text.h"
#include "harness/judge/gate/verdict.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/gate/instructions.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {
namespace {

using stats::Verdict;

double median_or_0(const std::vector<double>& values) {
  return values.empty() ? 0 : stats::median(values);
}

// The status of what failed in a session, the head's first; empty: nothing did.
std::string session_failure(const judge::SessionRow& session) {
  if (session.reason.empty()) return {};
  return status_text(session.head != Status::kOk ? session.head : session.base);
}

bool head_ran(const judge::GateRowResult& row) {
  return row.first.head == Status::kOk && (!row.second || row.second->head == Status::kOk);
}

bool called(const judge::GateRowResult& row, Verdict verdict) {
  return is_timed(row) && row.first.decision.verdict == verdict && row.verdict == verdict;
}

std::string worse_word(const judge::GateRowResult& row) {
  if (row.row.kind == judge::RowKind::kLost) return "lost";
  if (failure_of(row) == "error") return "crashed";
  if (!failure_of(row).empty()) return failure_of(row);
  const bool slower = called(row, Verdict::kWorse);
  if (slower && judge::allocates_more(row)) return "slower, more memory";
  return slower ? "slower" : "more memory";
}

std::string icon(GateGroup group) {
  switch (group) {
    case GateGroup::kWorse:
      return "🔴 ";
    case GateGroup::kBetter:
      return "🟢 ";
    case GateGroup::kDeclared:
    case GateGroup::kUnjudged:
    case GateGroup::kInconclusive:
      return "⚪ ";
    default:
      return "";
  }
}

// What failed or vanished comes first, then the largest change.
double weight(const judge::GateRowResult& row) {
  if (!failure_of(row).empty() || row.row.kind == judge::RowKind::kLost) return 1e9;
  return is_timed(row) ? std::abs(std::log(row.first.decision.change().ratio)) : 0;
}

Json column(const char* label, const char* align) { return {{"label", label}, {"align", align}}; }

Json change_cell(const judge::GateRowResult& row) {
  if (!is_timed(row)) return missing_cell("-");
  Json cell = text_cell(change_text(row.first.decision.change().ratio - 1));
  cell["interval_text"] =
      change_with_interval(row.first.decision).substr(cell["text"].get<std::string>().size() + 1);
  if (row.first.decision.verdict != Verdict::kSame) cell["strong"] = true;
  return cell;
}

// Is the change that of another statistic than the fastest repetition?
bool is_of_another(const judge::GateRowResult& row) {
  return row.first.decision.by != stats::Statistic::kFastest;
}

// Do the two times say another thing than the change: the other direction, or more than a tenth
// more or less?
bool times_contradict(const judge::GateRowResult& row) {
  constexpr double kMostApart = 0.1;
  const double base = base_wall_ns(row), head = head_wall_ns(row);
  const Verdict verdict = row.first.decision.verdict;
  const bool called = verdict == Verdict::kWorse || verdict == Verdict::kBetter;
  // The times are of fastest repetitions, which say nothing of the others.
  if (!is_timed(row) || base <= 0 || head <= 0 || is_of_another(row)) return false;
  const double of_times = std::log(head / base),
               judged = std::log(row.first.decision.change().ratio);
  return std::abs(of_times - judged) > std::log1p(kMostApart) || (called && of_times * judged < 0);
}

struct Times {
  double base_ns = 0, head_ns = 0;
};

// The times that a row shows, per operation: the medians; where these contradict the change, by
// which the row is judged, the times of the round whose change is nearest to it. A row that is
// slower shows no head that is faster, unless every round does.
Times shown_times(const judge::GateRowResult& row) {
  Times shown{base_wall_ns(row), head_wall_ns(row)};
  if (!times_contradict(row)) return shown;
  const std::vector<double>&base = row.first.base_wall_ns, &head = row.first.head_wall_ns;
  const double judged = std::log(row.first.decision.change().ratio);
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < std::min(base.size(), head.size()); ++i) {
    const double apart = std::abs(std::log(head[i] / base[i]) - judged);
    if (!(apart < nearest)) continue;
    nearest = apart;
    shown = {base[i], head[i]};
  }
  return shown;
}

// `3.81 ms → 4.42 ms`
Json times_cell(const judge::GateRowResult& row) {
  const auto text = [](double ns) { return ns > 0 ? human_time(ns) : std::string("-"); };
  const Times shown = shown_times(row);
  if (shown.base_ns <= 0 && shown.head_ns <= 0) return missing_cell("-");
  return text_cell(text(shown.base_ns) + " → " + text(shown.head_ns));
}

// What an operation takes more than before: `+610 µs`. By the judged change, not from the two times
// beside it, between which the machine may have changed its speed.
Json cost_cell(const judge::GateRowResult& row) {
  if (!is_timed(row)) return missing_cell("-");
  const double cost = shown_times(row).base_ns * (row.first.decision.change().ratio - 1);
  const char* sign = cost < 0 ? "-" : cost > 0 ? "+" : "";
  return text_cell(sign + human_time(std::abs(cost)));
}

std::string from_to(const judge::GateRowResult& row, double AllocCounts::*field) {
  const auto text = [&](const std::optional<AllocCounts>& a) {
    return a ? count_text((*a).*field) : std::string("n/a");
  };
  const std::string base = text(row.base_allocs), head = text(row.head_allocs);
  return base == head ? head : base + " → " + head;
}

// Allocations and bytes of an operation: `0 → 1 (0 → 1,104 B)`; `0` and `n/a` of both.
Json memory_cell(const judge::GateRowResult& row) {
  const std::string allocs = from_to(row, &AllocCounts::allocs_per_op);
  const std::string bytes = from_to(row, &AllocCounts::bytes_per_op);
  return text_cell(allocs == bytes ? allocs : fmt::format("{} ({} B)", allocs, bytes));
}

std::string variant_text(const judge::GateRowResult& row) {
  const std::string threads =
      row.row.key.threads == 1 ? "" : fmt::format(", {} threads", row.row.key.threads);
  return row.row.key.variant + "@" + row.row.key.target + threads;
}

std::string judged_note(const judge::GateRowResult& row) {
  const bool confirmed =
      row.second && row.first.decision.verdict == row.verdict && failure_of(row).empty();
  if (!confirmed) return row.note;
  const std::string second = "second session: " + change_with_interval(row.second->decision);
  if (row.is_declared) return row.note + "; " + second;
  return is_of_another(row) ? row.first.decision.note + "; " + second : second;
}

std::string note_of(const judge::GateRowResult& row) {
  std::vector<std::string> notes = {judged_note(row), instructions_text(row)};
  if (times_contradict(row)) {
    notes.push_back(fmt::format(
        "the change decides, and base and head are of the round that is nearest to it: the medians "
        "over rounds of unequal speed are {} and {}",
        human_time(base_wall_ns(row)), human_time(head_wall_ns(row))));
  }
  std::erase(notes, std::string());
  return join(notes, "; ");
}

Json row_json(const judge::GateRowResult& row) {
  const GateGroup group = group_of(row);
  const std::string control = row.row.canary ? " (control)" : "";
  return {{"label", gate_row_name(row)},
          {"cells",
           {text_cell(icon(group) + gate_word(row) + control), code_cell(row.row.key.case_text),
            text_cell(variant_text(row)), times_cell(row), change_cell(row), cost_cell(row),
            memory_cell(row), text_cell(note_of(row))}}};
}

constexpr const char* kMemory = "allocs/op (B/op)";

Json columns_json() {
  return {column("", "left"),        column("case", "left"),
          column("variant", "left"), column("base → head", "right"),
          column("change", "right"), column("per op", "right"),
          column(kMemory, "right"),  column("note", "left")};
}

// A column that says nothing of any row.
void drop_column_of_zeros(Json& table, const std::string& label) {
  size_t at = 0;
  while (at < table["columns"].size() && table["columns"][at]["label"] != label) ++at;
  const bool says_something =
      std::any_of(table["rows"].begin(), table["rows"].end(), [&](const Json& row) {
        return row["cells"][at]["text"] != "0" && row["cells"][at]["text"] != "n/a";
      });
  if (says_something || table["rows"].empty()) return;
  table["columns"].erase(at);
  for (Json& row : table["rows"]) row["cells"].erase(at);
}

}  // namespace

std::string failure_of(const judge::GateRowResult& row) {
  const std::string first = session_failure(row.first);
  return first.empty() && row.second ? session_failure(*row.second) : first;
}

bool is_timed(const judge::GateRowResult& row) {
  return row.first.decision.rounds > 0 && failure_of(row).empty();
}

int rounds_of(const judge::GateRowResult& row) { return static_cast<int>(row.first.rounds.size()); }

double base_wall_ns(const judge::GateRowResult& row) { return median_or_0(row.first.base_wall_ns); }
double head_wall_ns(const judge::GateRowResult& row) { return median_or_0(row.first.head_wall_ns); }

GateGroup group_of(const judge::GateRowResult& row) {
  switch (row.verdict) {
    case Verdict::kWorse:
      return row.is_declared ? GateGroup::kDeclared : GateGroup::kWorse;
    case Verdict::kMissing:
      return GateGroup::kWorse;
    case Verdict::kBetter:
      return GateGroup::kBetter;
    case Verdict::kNew:
      return GateGroup::kNew;
    case Verdict::kSame:
      return GateGroup::kSame;
    case Verdict::kIncomparable:
      return GateGroup::kUnjudged;
    default:
      return GateGroup::kInconclusive;
  }
}

std::string gate_word(const judge::GateRowResult& row) {
  switch (group_of(row)) {
    case GateGroup::kWorse:
      return worse_word(row);
    case GateGroup::kDeclared:
      return worse_word(row) + " (declared)";
    case GateGroup::kBetter:
      return called(row, Verdict::kBetter) ? "faster" : "less memory";
    case GateGroup::kNew:
      return "new";
    case GateGroup::kSame:
      return row.row.kind == judge::RowKind::kIdentical ? "identical" : "same";
    case GateGroup::kUnjudged:
      return head_ran(row) ? "base failed" : "fails in both";
    case GateGroup::kInconclusive:
      break;
  }
  return "inconclusive";
}

GateRows rows_of(const GateRecord& gate, GateGroup group) {
  GateRows rows;
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (!row.row.canary && group_of(row) == group) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const judge::GateRowResult* a, const judge::GateRowResult* b) {
                     return weight(*a) > weight(*b);
                   });
  return rows;
}

Json gate_table(const GateRows& rows) {
  Json table = {{"columns", columns_json()}, {"rows", Json::array()}};
  for (const judge::GateRowResult* row : rows) table["rows"].push_back(row_json(*row));
  drop_column_of_zeros(table, kMemory);
  return table;
}

Json all_rows_table(const GateRecord& gate) {
  GateRows rows;
  for (const judge::GateRowResult& row : gate.result.rows) rows.push_back(&row);
  return gate_table(rows);
}

Json family_table(const GateRecord& gate) {
  std::map<std::string, std::vector<double>> families;
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (row.row.canary || !is_timed(row)) continue;
    const std::string& text = row.row.key.case_text;
    const double ratio = row.first.decision.of(stats::Statistic::kFastest).ratio;
    families[text.substr(0, text.find(' '))].push_back(std::log(ratio));
  }
  Json table = {{"columns",
                 {column("op", "left"), column("timed rows", "right"),
                  column("geometric mean of the change", "right")}},
                {"rows", Json::array()}};
  for (const auto& [op, logs] : families) {
    double sum = 0;
    for (const double value : logs) sum += value;
    const double mean = std::expm1(sum / static_cast<double>(logs.size()));
    table["rows"].push_back(
        {{"label", op},
         {"cells",
          {code_cell(op), text_cell(count_text(static_cast<double>(logs.size()))),
           text_cell(change_text(mean))}}});
  }
  return table;
}

std::string gate_row_name(const judge::GateRowResult& row) {
  return row.row.key.case_text + " | " + variant_text(row);
}

std::string change_with_interval(const stats::GateDecision& d) {
  return fmt::format("{} [{}, {}]", change_text(d.change().ratio - 1),
                     change_text(d.change().lo - 1), change_text(d.change().hi - 1));
}

}  // namespace nsop::report
