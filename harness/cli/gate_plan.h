// Which rows a gate judges: the union of what both sides can do of the cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/cli/gate_arms.h"
#include "harness/judge/gate/session.h"
#include "harness/run/plan.h"

namespace nsop::cli {

struct GateCases {
  std::vector<std::string> lines;   // case lines; empty: those of the suites
  std::vector<std::string> suites;  // only these; empty: all, of both sides
  std::string filter;
  bool quick = false;  // only the cases tagged quick
};

struct GateRowsPlan {
  std::vector<judge::GateRow> rows;  // controls first
  std::map<std::string, run::CaseDescription> cases;
};

// Throws Error (usage) for a case line that the reference, without which nothing is judged,
// refuses.
void check_lines(const GateCases& wanted, run::WorkerClient& reference);

// Our own rows: what the suites show as `after`. A row that only the base can do is lost, one that
// only the head can do is new. Throws Error (usage) when no row is left, and for a case that
// neither side knows, unless it is of the base's own suites: then it is lost.
GateRowsPlan plan_gate(Context& context, const GateCases& wanted, const GateArms& arms,
                       const run::Worker& base, const run::Worker& head,
                       run::WorkerClient& reference);

}  // namespace nsop::cli
