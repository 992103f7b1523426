// The two sides of a gate: what was named, built.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/judge/builds/revisions.h"
#include "harness/judge/gate/measurer.h"
#include "harness/judge/gate/stored.h"

namespace nsop::judge {

struct GateArms {
  Built base, head;
  std::string merge_base;  // commit that both sides have in common; empty: unknown
  LinkOrders orders;       // that both have
};

struct ArmNames {
  std::string base, head;        // revision, worker program or build folder
  bool from_merge_base = false;  // the base is what both have in common
  int layouts = kLinkOrders;     // of each session
  bool second_session = true;
};

// Where suites are when a side has none of its own.
struct SuitePlace {
  std::string folder;
  // The suites of a folder. Throws Error (usage) for what a file of it does wrong.
  std::function<std::vector<Suite>(const std::string& folder)> load;
};

// Why so few link orders are refused; empty: they aren't.
std::string too_few_layouts(size_t layouts);

// Throws Error (usage) for suites that the head doesn't have, before anything is built.
void must_have_suites(const BuildPlace& place, const SuitePlace& own, const std::string& head,
                      const std::vector<std::string>& suites);

// Builds or finds both sides, and tells what makes their comparison doubtful. Throws Error as
// build_revision() and use_program() do; (usage) where there is no merge base or there are 2 to 5
// link orders; for a side without a worker as start_arm().
GateArms build_arms(const BuildPlace& place, const ArmNames& names, const BuildNote& note);

// Both builds run the same machine code.
bool are_identical(const Built& base, const Built& head);

// Throws Error for a side that doesn't start or doesn't speak the protocol: (inconclusive) for the
// base, (failed) for the head.
ArmWorkers start_arm(const Built& built, Arm arm);

// The side as it is stored.
GateSide gate_side(const Built& built, const ArmWorkers& workers);

}  // namespace nsop::judge
