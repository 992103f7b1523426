// Which rows a gate judges: the union of what both sides can do of the cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/suite/known_changes.h"
#include "harness/judge/gate/arms.h"
#include "harness/judge/gate/session.h"
#include "harness/run/plan/plan.h"

namespace nsop::judge {

// Two rows of frozen code that every comparison measures with the base's build in both arms: they
// move only when the machine does.
std::vector<RowKey> control_rows();
bool is_control(const RowKey& row);

struct GateSelection {
  std::vector<std::string> lines;   // case lines; empty: the suites' lines
  std::vector<std::string> suites;  // only these; empty: all, of both sides
  std::string filter;
  bool quick = false;  // only the cases tagged quick
};

struct GateRowsPlan {
  std::vector<GateRow> rows;  // controls first
  std::map<std::string, run::CaseDescription> cases;
};

// Throws Error (usage) for a case line that the reference, without which nothing is judged,
// refuses.
void check_lines(const GateSelection& wanted, run::WorkerClient& reference);

// The first worker of each side, and what both are asked by.
struct GatePlanners {
  const run::Worker& base;
  const run::Worker& head;
  run::WorkerClient& reference;
  // Of programs that nobody else has answers of: those that each side's own worker gives. The
  // controls stay with `reference`. None: it has them all.
  run::WorkerClient* base_reference = nullptr;
  run::WorkerClient* head_reference = nullptr;
};

// Our own rows: what the suites show as `after`; of programs of other projects all that they list.
// A row that only the base can do is lost, one that only the head can do is new. `own` has the
// suites of a side without any; `root` is the project, in which the rows' sources are looked for.
// Throws Error (usage) when no row is left, and for a case that neither side knows, unless it is of
// the base's own suites: then it is lost.
GateRowsPlan plan_gate(const GateSelection& wanted, const GateArms& arms, const SuitePlace& own,
                       const std::string& root, const GatePlanners& planners,
                       const BuildNote& note);

// The file below the project's folder that a finding about a case of the op points at; empty:
// there is none.
std::string source_of(const std::string& root, const std::string& op);

// Marks the rows that the project declares to get worse. A declaration that names a commit counts
// where the head has it and the base hasn't.
void declare_known(std::vector<GateRow>& rows, const std::vector<KnownChange>& known,
                   const BuildPlace& place, const GateArms& arms);

}  // namespace nsop::judge
