#include "harness/report/gate/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

using stats::Verdict;

bool is_worse(const std::optional<stats::Comparison>& c) {
  return c && c->verdict == Verdict::kWorse;
}
bool more_memory(const GateRowView& row) { return is_worse(row.allocs) || is_worse(row.bytes); }

bool timed(const GateRowView& row) { return row.first.rounds > 0 && row.failure.empty(); }

bool called(const GateRowView& row, Verdict verdict) {
  return timed(row) && row.first.verdict == verdict && row.verdict == verdict;
}

std::string worse_word(const GateRowView& row) {
  if (row.presence == GatePresence::kLost) return "lost";
  if (row.failure == "error") return "crashed";
  if (!row.failure.empty()) return row.failure;
  const bool slower = called(row, Verdict::kWorse);
  if (slower && more_memory(row)) return "slower, more memory";
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
    case GateGroup::kUnclear:
      return "⚪ ";
    default:
      return "";
  }
}

// What failed or vanished comes first, then the largest change.
double weight(const GateRowView& row) {
  if (!row.failure.empty() || row.presence == GatePresence::kLost) return 1e9;
  return timed(row) ? std::abs(std::log(row.first.ratio)) : 0;
}

Json column(const char* label, const char* align) { return {{"label", label}, {"align", align}}; }

Json wall_cell(double ns) { return ns > 0 ? text_cell(human_time(ns)) : missing_cell("-"); }

Json change_cell(const GateRowView& row) {
  if (!timed(row)) return missing_cell("-");
  Json cell = text_cell(change_text(row.first.ratio - 1));
  cell["interval_text"] =
      change_with_interval(row.first).substr(cell["text"].get<std::string>().size() + 1);
  if (row.first.verdict != Verdict::kSame) cell["strong"] = true;
  return cell;
}

Json counts_cell(const GateRowView& row, double AllocCounts::*field) {
  const auto text = [&](const std::optional<AllocCounts>& a) {
    return a ? count_text((*a).*field) : std::string("n/a");
  };
  const std::string base = text(row.base_allocs), head = text(row.head_allocs);
  return text_cell(base == head ? head : base + " → " + head);
}

std::string variant_text(const GateRowView& row) {
  const std::string threads =
      row.key.threads == 1 ? "" : fmt::format(", {} threads", row.key.threads);
  return row.key.variant + "@" + row.key.target + threads;
}

std::string note_of(const GateRowView& row) {
  const bool confirmed = row.second && row.first.verdict == row.verdict && row.failure.empty();
  if (!confirmed) return row.note;
  const std::string second = "second session: " + change_with_interval(*row.second);
  return row.declared ? row.note + "; " + second : second;
}

Json row_json(const GateRowView& row) {
  const GateGroup group = group_of(row);
  const std::string control = row.control ? " (control)" : "";
  return {{"label", gate_row_name(row)},
          {"cells",
           {text_cell(icon(group) + gate_word(row) + control), code_cell(row.key.case_text),
            text_cell(variant_text(row)), wall_cell(row.base_wall_ns), wall_cell(row.head_wall_ns),
            change_cell(row), counts_cell(row, &AllocCounts::allocs_per_op),
            counts_cell(row, &AllocCounts::bytes_per_op), text_cell(note_of(row))}}};
}

Json columns_json() {
  return {column("", "left"),           column("case", "left"),  column("variant", "left"),
          column("base", "right"),      column("head", "right"), column("change", "right"),
          column("allocs/op", "right"), column("B/op", "right"), column("note", "left")};
}

}  // namespace

GateGroup group_of(const GateRowView& row) {
  switch (row.verdict) {
    case Verdict::kWorse:
      return row.declared ? GateGroup::kDeclared : GateGroup::kWorse;
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
      return GateGroup::kUnclear;
  }
}

std::string gate_word(const GateRowView& row) {
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
      return row.presence == GatePresence::kIdentical ? "identical" : "same";
    case GateGroup::kUnjudged:
      return row.head_ran ? "base failed" : "fails in both";
    case GateGroup::kUnclear:
      break;
  }
  return "unclear";
}

GateRows rows_of(const GateView& gate, GateGroup group) {
  GateRows rows;
  for (const GateRowView& row : gate.rows) {
    if (!row.control && group_of(row) == group) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const GateRowView* a, const GateRowView* b) {
    return weight(*a) > weight(*b);
  });
  return rows;
}

Json gate_table(const GateRows& rows) {
  Json table = {{"columns", columns_json()}, {"rows", Json::array()}};
  for (const GateRowView* row : rows) table["rows"].push_back(row_json(*row));
  return table;
}

Json all_rows_table(const GateView& gate) {
  GateRows rows;
  for (const GateRowView& row : gate.rows) rows.push_back(&row);
  return gate_table(rows);
}

Json family_table(const GateView& gate) {
  std::map<std::string, std::vector<double>> families;
  for (const GateRowView& row : gate.rows) {
    if (row.control || !timed(row)) continue;
    const std::string& text = row.key.case_text;
    families[text.substr(0, text.find(' '))].push_back(std::log(row.first.ratio));
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

std::string gate_row_name(const GateRowView& row) {
  return row.key.case_text + " | " + variant_text(row);
}

std::string change_with_interval(const stats::GateDecision& d) {
  return fmt::format("{} [{}, {}]", change_text(d.ratio - 1), change_text(d.lo - 1),
                     change_text(d.hi - 1));
}

}  // namespace nsop::report
