#include "harness/report/gate/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/report/base/format.h"
#include "harness/report/gate/rows.h"

namespace nsop::report {
namespace {

std::string status_of(const judge::GateRowResult& row) {
  switch (group_of(row)) {
    case GateGroup::kWorse:
      return failure_of(row).empty() && row.row.kind != judge::RowKind::kLost ? "failure" : "error";
    case GateGroup::kUnjudged:
    case GateGroup::kInconclusive:
      return "skipped";
    default:
      return "passed";
  }
}

std::string message_of(const judge::GateRowResult& row) {
  std::string text = gate_word(row);
  if (row.first.decision.rounds > 0 && failure_of(row).empty())
    text += " " + change_with_interval(row.first.decision);
  return row.note.empty() ? text : text + ": " + row.note;
}

// Numbers as they are, for programs.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

Json properties_of(const judge::GateRowResult& row) {
  Json out = Json::array();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.push_back({name, value});
  };
  add("verdict", stats::verdict_text(row.verdict));
  if (row.is_declared) add("declared", row.note);
  if (base_wall_ns(row) > 0) add("base_wall_ns", number(base_wall_ns(row)));
  if (head_wall_ns(row) > 0) add("head_wall_ns", number(head_wall_ns(row)));
  if (row.first.decision.rounds > 0) {
    add("ratio", number(row.first.decision.change().ratio));
    add("ratio_lo", number(row.first.decision.change().lo));
    add("ratio_hi", number(row.first.decision.change().hi));
    add("paired_sd", number(row.first.decision.sd));
  }
  add("rounds", fmt::format("{}", rounds_of(row)));
  if (row.base_allocs) add("base_allocs_per_op", number(row.base_allocs->allocs_per_op));
  if (row.head_allocs) add("head_allocs_per_op", number(row.head_allocs->allocs_per_op));
  return out;
}

Json annotation(const char* level, const judge::GateRowResult& row) {
  return {{"level", level},
          {"file", row.row.source},
          {"title", "nsop: " + gate_word(row)},
          {"message", gate_row_name(row) + ": " + message_of(row)}};
}

}  // namespace

Json gate_tests(const GateRecord& gate) {
  Json out = Json::array();
  for (const judge::GateRowResult& row : gate.result.rows) {
    const std::string& text = row.row.key.case_text;
    out.push_back({{"class", text.substr(0, text.find(' '))},
                   {"name", gate_row_name(row)},
                   {"status", row.row.canary ? "passed" : status_of(row)},
                   {"message", message_of(row)},
                   {"properties", properties_of(row)}});
  }
  return out;
}

Json gate_annotations(const GateRecord& gate) {
  Json out = Json::array();
  for (const judge::GateRowResult* row : rows_of(gate, GateGroup::kWorse)) {
    out.push_back(annotation("error", *row));
  }
  for (const judge::GateRowResult* row : rows_of(gate, GateGroup::kUnjudged)) {
    out.push_back(annotation("warning", *row));
  }
  if (!gate.result.void_reason.empty()) {
    out.push_back({{"level", "warning"},
                   {"file", ""},
                   {"title", "nsop: no verdict"},
                   {"message", gate.result.void_reason}});
  }
  for (const judge::GateRowResult* row : rows_of(gate, GateGroup::kDeclared)) {
    out.push_back(annotation("notice", *row));
  }
  for (const judge::GateRowResult* row : rows_of(gate, GateGroup::kBetter)) {
    out.push_back(annotation("notice", *row));
  }
  return out;
}

}  // namespace nsop::report
