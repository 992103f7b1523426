#include "harness/report/site/gates.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/judge/builds/commits.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/gate/instructions.h"
#include "harness/report/gate/rows.h"
#include "harness/report/site/cases.h"
#include "harness/report/site/site_links.h"
#include "harness/report/stored/gate.h"

namespace nsop::report {
namespace {

std::string side_text(const judge::GateSide& side) {
  return side.commit.empty() ? side.label : judge::short_commit(side.commit);
}

// `hwy@AVX3, 2 threads`
std::string row_text(const RowKey& row) {
  return fmt::format("{}@{}, {} thread{}", row.variant, row.target, row.threads,
                     row.threads == 1 ? "" : "s");
}

// The remark of a row, and what its instructions say.
std::string note_of(const judge::GateRowResult& row) {
  const std::string counted = instructions_text(row);
  return row.note + (row.note.empty() || counted.empty() ? "" : "; ") + counted;
}

Json change_cell(const judge::GateRowResult& row) {
  if (!is_timed(row)) return missing_cell("not timed");
  Json cell = text_cell(change_with_interval(row.first.decision));
  cell["value"] = row.first.decision.change().ratio;
  return cell;
}

Json row_json(const judge::GateRowResult& row) {
  const RowKey& key = row.row.key;
  const std::string allocs = changed_allocations(row.base_allocs, row.head_allocs);
  Json json = {{"case", key.case_text},
               {"case_id", case_id(key.case_text)},
               {"who", key.variant + "@" + key.target},
               {"threads", key.threads},
               {"verdict", stats::verdict_text(row.verdict)},
               {"word", gate_word(row)},
               {"note", note_of(row)},
               {"rounds", rounds_of(row)},
               {"paired", true},
               {"exact", allocs.empty() ? "" : "allocations " + allocs}};
  const bool timed = is_timed(row);
  const stats::RatioInterval change = timed ? row.first.decision.change() : stats::RatioInterval{};
  json["ratio"] = timed ? Json(change.ratio) : Json();
  json["lo"] = timed ? Json(change.lo) : Json();
  json["hi"] = timed && std::isfinite(change.hi) ? Json(change.hi) : Json();
  json["text"] = timed ? change_with_interval(row.first.decision) : "not timed";
  return json;
}

}  // namespace

Json gate_json(const GateRecord& gate) {
  const Json report = build_gate_report(gate);
  Json rows = Json::array();
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (!row.row.canary) rows.push_back(row_json(row));
  }
  return {{"kind", "gate"},
          {"id", short_id(gate.run.id)},
          {"utc", minute_text(gate.run.started_utc)},
          {"base", side_text(gate.plan.base)},
          {"head", side_text(gate.plan.head)},
          {"host", short_id(gate.run.host_id)},
          {"headline", report["verdict"]["headline"]},
          {"outcome", report["verdict"]["kind"]},
          {"worth", gate.plan.policy.worth},
          {"same", gate.plan.policy.same},
          {"rows", std::move(rows)}};
}

SiteGates::SiteGates(const store::Store& store, const std::vector<store::RunSummary>& runs,
                     const SiteChoice& choice) {
  for (const store::RunSummary& one : runs) {
    const Run& run = one.run;
    const bool shown = run.state == RunState::kComplete && run.profile == "gate" &&
                       run.trust != "pr" && run.started_utc >= choice.since &&
                       (choice.host.empty() || run.host_id == choice.host);
    if (shown) add(load_gate(store, run.id));
  }
}

void SiteGates::add(const GateRecord& gate) {
  gates_.push_back(gate_json(gate));
  const Json& json = gates_.back();
  for (const judge::GateRowResult& row : gate.result.rows) {
    if (row.row.canary) continue;
    Json& list = by_case_[row.row.key.case_text];
    if (list.is_null()) list = Json::array();
    list.push_back({{"id", json["id"]},
                    {"utc", json["utc"]},
                    {"base", json["base"]},
                    {"head", json["head"]},
                    {"row", row_text(row.row.key)},
                    {"verdict", stats::verdict_text(row.verdict)},
                    {"change", change_cell(row)},
                    {"note", note_of(row)}});
  }
}

Json SiteGates::of_case(const std::string& case_text) const {
  const auto at = by_case_.find(case_text);
  return at == by_case_.end() ? Json::array() : at->second;
}

}  // namespace nsop::report
