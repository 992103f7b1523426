#include "harness/judge/gate/stored.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"
#include "harness/judge/gate/verdict.h"

namespace nsop::judge {
namespace {

constexpr const char* kSchema = "nsop.gate-plan/2";
constexpr int kMostLayouts = 1000;
constexpr double kMostConfirming = 10;
constexpr double kMostPriorDf = 100;
constexpr int kMostRounds = 1000;
constexpr double kMostMargin = 10;
constexpr std::array kKinds{"both", "lost", "new", "identical"};

Json side_json(const GateSide& side) {
  return {{"label", side.label}, {"commit", side.commit}, {"builds", side.build_ids}};
}

GateSide side_from(const Json& json) {
  return {field(json, "label"), field(json, "commit"), field(json, "builds")};
}

Json looks_json(const std::vector<stats::Look>& looks) {
  Json out = Json::array();
  for (const stats::Look& look : looks) out.push_back({look.rounds, look.alpha});
  return out;
}

std::vector<stats::Look> looks_from(const Json& json) {
  std::vector<stats::Look> looks;
  for (const Json& one : json) {
    if (!is_exactly<int>(one.at(0)) || !is_exactly<double>(one.at(1))) {
      throw bad_data("a look is a whole number of rounds and a share of alpha");
    }
    looks.push_back({one.at(0).get<int>(), one.at(1).get<double>()});
  }
  return looks;
}

Json policy_json(const stats::GatePolicy& p) {
  return {{"worth", p.worth},
          {"same", p.same},
          {"excess_worth", p.excess_worth},
          {"excess_same", p.excess_same},
          {"first_worth", p.first_worth},
          {"first_same", p.first_same},
          {"same_rounds", p.same_rounds},
          {"looks", looks_json(p.looks)},
          {"further", looks_json(p.further)},
          {"confirming", p.confirming},
          {"most_prior_df", p.most_prior_df},
          {"quickest_firsts", p.quickest_firsts}};
}

stats::GatePolicy policy_from(const Json& json) {
  // Gates of before looked at the fastest repetitions only: they are judged as they were.
  return {field(json, "worth"),
          field(json, "same"),
          json_field_or(json, "excess_worth", 0.0),
          json_field_or(json, "excess_same", 0.0),
          json_field_or(json, "first_worth", 0.0),
          json_field_or(json, "first_same", 0.0),
          json_field_or(json, "same_rounds", 0),
          looks_from(json.at("looks")),
          looks_from(json.at("further")),
          json_field_or(json, "confirming", 1.0),
          json_field_or(json, "most_prior_df", 0.0),
          json_field_or(json, "quickest_firsts", false)};
}

HostProbe probe_from(const Json& json) {
  return {field(json, "paired_sd"),     field(json, "preempted_share"),
          field(json, "steal_percent"), field(json, "load1"),
          field(json, "noisy"),         json_field_or<std::string>(json, "failure", "")};
}

Json row_json(const GateRow& row) {
  return {{"case", row.key.case_text}, {"variant", row.key.variant},
          {"target", row.key.target},  {"threads", row.key.threads},
          {"control", row.canary},     {"kind", kKinds.at(static_cast<size_t>(row.kind))},
          {"untimed", row.untimed},    {"source", row.source},
          {"declared", row.declared},  {"declared_percent", row.declared_percent}};
}

RowKind kind_from(const std::string& text) {
  const auto it = std::find(kKinds.begin(), kKinds.end(), text);
  if (it == kKinds.end()) throw bad_data("unknown kind of row '" + text + "'");
  return static_cast<RowKind>(it - kKinds.begin());
}

GateRow gate_row_from(const Json& json) {
  return {
      {field(json, "case"), field(json, "variant"), field(json, "target"), field(json, "threads")},
      field(json, "control"),
      kind_from(field(json, "kind")),
      field(json, "untimed"),
      field(json, "source"),
      json_field_or<std::string>(json, "declared", ""),
      json_field_or(json, "declared_percent", 0.0)};
}

bool is_share(double value) { return value > 0 && value < 1; }

// Looks come one after the other, each with a share of alpha.
bool are_looks(const stats::GatePolicy& policy) {
  int before = 0;
  for (const auto* looks : {&policy.looks, &policy.further}) {
    for (const stats::Look& look : *looks) {
      if (look.rounds <= before || !is_share(look.alpha)) return false;
      before = look.rounds;
    }
  }
  return true;
}

// A plan may come from a stranger's job: what statistics take for granted is looked at here.
void must_be_sound(const GatePlan& plan) {
  if (plan.layouts < 1 || plan.layouts > kMostLayouts) {
    throw bad_data("no sensible number of link orders");
  }
  if (!are_looks(plan.policy)) {
    throw bad_data("looks need growing rounds from 1 on and alphas between 0 and 1");
  }
  if (!is_share(plan.policy.worth) || !is_share(plan.policy.same)) {
    throw bad_data("margins are between 0 and 1");
  }
  for (const stats::Statistic one : {stats::Statistic::kExcess, stats::Statistic::kFirst}) {
    const stats::Margins margins = stats::margins_of(plan.policy, one);
    const bool none = margins.worth == 0 && margins.same == 0;
    const bool sound = is_share(margins.worth) && margins.same > 0 && margins.same <= kMostMargin;
    if (!none && !sound) {
      throw bad_data("margins of further statistics are between 0 and 1 (same: 10), or both 0");
    }
  }
  if (!(plan.policy.same_rounds >= 0 && plan.policy.same_rounds <= kMostRounds)) {
    throw bad_data("no sensible number of rounds for the same");
  }
  if (!(plan.policy.confirming >= 1 && plan.policy.confirming <= kMostConfirming)) {
    throw bad_data("a second session spends 1 to 10 times the alpha of the first");
  }
  if (!(plan.policy.most_prior_df >= 0 && plan.policy.most_prior_df <= kMostPriorDf)) {
    throw bad_data("other rows add 0 to 100 degrees of freedom to a row's own");
  }
  if (!is_share(plan.false_discovery_rate)) {
    throw bad_data("the false discovery rate is between 0 and 1");
  }
}

// The rounds of one row in one session: base and head by round.
using Rounds = std::map<int, std::vector<Invocation>>;

SessionRow replay_row(const GatePlan& plan, Rounds& rounds) {
  SessionRow row;
  for (auto& [round, pair] : rounds) {
    if (pair.size() != 2) break;  // the run was interrupted here
    const bool base_first = first_arm(round) == Arm::kBase;
    if (!add_round(row, round, plan.layouts, pair[base_first ? 0 : 1], pair[base_first ? 1 : 0])) {
      break;
    }
  }
  return row;
}

// Decides the rows of a session, once the rounds of all of them are known.
void decide_session(const GatePlan& plan, int session, std::vector<GateRowResult>& results) {
  std::vector<GateRow> rows;
  std::vector<SessionRow*> measured;
  for (GateRowResult& result : results) {
    if (result.row.kind != RowKind::kBoth || (session == 2 && !result.second)) continue;
    rows.push_back(result.row);
    measured.push_back(session == 1 ? &result.first : &*result.second);
  }
  const auto priors = priors_of(rows, {measured.begin(), measured.end()}, plan.policy);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool looked =
        !plan.policy.looks.empty() &&
        measured[i]->rounds.size() >= static_cast<size_t>(plan.policy.looks[0].rounds);
    if (looked) {
      measured[i]->decision = decide_row(rows[i], *measured[i], session, plan.policy, priors);
    }
  }
}

struct RowInvocations {
  std::vector<Invocation> counts;  // base, head
  Rounds sessions[2];
};

}  // namespace

Json probe_json(const HostProbe& p) {
  return {{"paired_sd", p.paired_sd},
          {"preempted_share", p.preempted_share},
          {"steal_percent", p.steal_percent},
          {"load1", p.load1},
          {"noisy", p.noisy},
          {"failure", p.failure}};
}

std::string gate_plan_text(const GatePlan& plan) {
  Json rows = Json::array();
  for (const GateRow& row : plan.rows) rows.push_back(row_json(row));
  Json json = {{"schema", kSchema},
               {"base", side_json(plan.base)},
               {"head", side_json(plan.head)},
               {"merge_base", plan.merge_base},
               {"identical", plan.identical},
               {"layouts", plan.layouts},
               {"fresh_layouts", plan.fresh_layouts},
               {"second_session", plan.second_session},
               {"false_discovery_rate", plan.false_discovery_rate},
               {"policy", policy_json(plan.policy)},
               {"command", plan.command},
               {"probe", probe_json(plan.probe)},
               {"rows", std::move(rows)}};
  if (plan.shard) json["shard"] = run::shard_json(*plan.shard);
  return json.dump();
}

GatePlan parse_gate_plan(const std::string& text) {
  const Json json = parse_json(text, "gate plan");
  if (!has_schema(json, kSchema)) throw bad_data("this run is no gate");
  return read_fields("gate plan", [&] {
    GatePlan plan{side_from(json.at("base")),     side_from(json.at("head")),
                  field(json, "merge_base"),      field(json, "identical"),
                  field(json, "layouts"),         json_field_or(json, "fresh_layouts", false),
                  field(json, "second_session"),  field(json, "false_discovery_rate"),
                  policy_from(json.at("policy")), field(json, "command"),
                  probe_from(json.at("probe")),   {}};
    for (const Json& row : json.at("rows")) plan.rows.push_back(gate_row_from(row));
    if (json.contains("shard")) plan.shard = run::shard_from_json(json.at("shard"));
    must_be_sound(plan);
    return plan;
  });
}

GateResult replay_gate(const GatePlan& plan, std::vector<Invocation> invocations) {
  std::sort(invocations.begin(), invocations.end(), [](const Invocation& a, const Invocation& b) {
    return std::tuple(a.session, a.round, a.slot) < std::tuple(b.session, b.round, b.slot);
  });
  std::map<RowKey, RowInvocations> by_row;
  for (Invocation& one : invocations) {
    RowInvocations& row = by_row[one.row];
    if (one.phase == Phase::kCount) {
      row.counts.push_back(std::move(one));
    } else if (one.session == 1 || one.session == 2) {
      row.sessions[one.session - 1][one.round].push_back(std::move(one));
    }
  }
  GateResult result;
  for (const GateRow& planned : plan.rows) {
    GateRowResult row;
    row.row = planned;
    RowInvocations& measured = by_row[planned.key];
    if (planned.kind == RowKind::kBoth) {
      row.first = replay_row(plan, measured.sessions[0]);
    }
    if (measured.counts.size() == 2) take_counts(row, measured.counts[0], measured.counts[1]);
    if (planned.kind == RowKind::kNew && measured.counts.size() == 1) {
      take_new_count(row, measured.counts[0]);
    }
    if (!measured.sessions[1].empty()) {
      row.second = replay_row(plan, measured.sessions[1]);
    }
    result.rows.push_back(std::move(row));
  }
  for (const int session : {1, 2}) decide_session(plan, session, result.rows);
  result.void_reason = moved_control(result);
  GateOptions options;
  options.policy = plan.policy;
  options.layouts = plan.layouts;
  options.second_session = plan.second_session;
  options.false_discovery_rate = plan.false_discovery_rate;
  judge_rows(result, options);
  return result;
}

}  // namespace nsop::judge
