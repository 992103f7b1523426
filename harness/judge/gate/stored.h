// A gate as it is stored: what was asked (with the run) and its invocations, from which the same
// verdicts follow at any time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/judge/gate/session.h"
#include "harness/run/plan/plan.h"

namespace nsop::judge {

struct GateSide {
  std::string label;   // what the user named
  std::string commit;  // empty for a program of unknown origin
  // Builds of the side, one per link order; the second session's builds are last.
  std::vector<std::string> build_ids;
};

// How noisy the machine was just before the gate.
struct HostProbe {
  double paired_sd = 0;        // of ln of the ratio of neighbouring invocations of one program
  double preempted_share = 0;  // of repetitions
  double steal_percent = 0;    // of the CPUs' time, during the probe
  double load1 = 0;
  bool noisy = false;
  std::string failure{};  // why a control could not be measured; empty: all could
};

// Its fields by their names.
Json probe_json(const HostProbe& probe);

struct GatePlan {
  GateSide base, head;
  std::string merge_base;      // commit that both sides have in common; empty: unknown
  bool identical = false;      // all objects are the same: nothing was planned
  int layouts = 1;             // link orders that the rounds of a session go through
  bool fresh_layouts = false;  // the second session had others
  bool second_session = true;
  double false_discovery_rate = 0.05;
  stats::GatePolicy policy;
  std::string command;  // that does it again
  HostProbe probe;
  std::vector<GateRow> rows;
  std::optional<run::PlanShard> shard{};  // of a gate on several nodes
};

// Schema `nsop.gate-plan/2`. Throws Error (bad data) naming the field.
std::string gate_plan_text(const GatePlan& plan);
GatePlan parse_gate_plan(const std::string& text);

// What run_gate returned for these invocations (in any order), but `seconds`: a plan has no row key
// twice. Invocations of rows that the plan doesn't have are ignored.
GateResult replay_gate(const GatePlan& plan, std::vector<Invocation> invocations);

}  // namespace nsop::judge
