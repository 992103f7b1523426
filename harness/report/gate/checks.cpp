#include "harness/report/gate/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/report/base/format.h"
#include "harness/report/gate/rows.h"

namespace nsop::report {
namespace {

std::string status_of(const GateRowView& row) {
  switch (group_of(row)) {
    case GateGroup::kWorse:
      return row.failure.empty() && row.presence != GatePresence::kLost ? "failure" : "error";
    case GateGroup::kUnjudged:
    case GateGroup::kUnclear:
      return "skipped";
    default:
      return "passed";
  }
}

std::string message_of(const GateRowView& row) {
  std::string text = gate_word(row);
  if (row.first.rounds > 0 && row.failure.empty()) text += " " + change_with_interval(row.first);
  return row.note.empty() ? text : text + ": " + row.note;
}

// Numbers as they are, for programs.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

Json properties_of(const GateRowView& row) {
  Json out = Json::array();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.push_back({name, value});
  };
  add("verdict", stats::verdict_text(row.verdict));
  if (row.declared) add("declared", row.note);
  if (row.base_wall_ns > 0) add("base_wall_ns", number(row.base_wall_ns));
  if (row.head_wall_ns > 0) add("head_wall_ns", number(row.head_wall_ns));
  if (row.first.rounds > 0) {
    add("ratio", number(row.first.ratio));
    add("ratio_lo", number(row.first.lo));
    add("ratio_hi", number(row.first.hi));
    add("paired_sd", number(row.first.sd));
  }
  add("rounds", fmt::format("{}", row.rounds));
  if (row.base_allocs) add("base_allocs_per_op", number(row.base_allocs->allocs_per_op));
  if (row.head_allocs) add("head_allocs_per_op", number(row.head_allocs->allocs_per_op));
  return out;
}

Json annotation(const char* level, const GateRowView& row) {
  return {{"level", level},
          {"file", row.source},
          {"title", "nsop: " + gate_word(row)},
          {"message", gate_row_name(row) + ": " + message_of(row)}};
}

}  // namespace

Json gate_tests(const GateView& gate) {
  Json out = Json::array();
  for (const GateRowView& row : gate.rows) {
    const std::string& text = row.key.case_text;
    out.push_back({{"class", text.substr(0, text.find(' '))},
                   {"name", gate_row_name(row)},
                   {"status", row.control ? "passed" : status_of(row)},
                   {"message", message_of(row)},
                   {"properties", properties_of(row)}});
  }
  return out;
}

Json gate_annotations(const GateView& gate) {
  Json out = Json::array();
  for (const GateRowView* row : rows_of(gate, GateGroup::kWorse)) {
    out.push_back(annotation("error", *row));
  }
  for (const GateRowView* row : rows_of(gate, GateGroup::kUnjudged)) {
    out.push_back(annotation("warning", *row));
  }
  if (!gate.void_reason.empty()) {
    out.push_back({{"level", "warning"},
                   {"file", ""},
                   {"title", "nsop: no verdict"},
                   {"message", gate.void_reason}});
  }
  for (const GateRowView* row : rows_of(gate, GateGroup::kDeclared)) {
    out.push_back(annotation("notice", *row));
  }
  for (const GateRowView* row : rows_of(gate, GateGroup::kBetter)) {
    out.push_back(annotation("notice", *row));
  }
  return out;
}

}  // namespace nsop::report
