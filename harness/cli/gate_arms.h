// The two sides of a gate: what was named, built.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/judge/builds/revisions.h"
#include "harness/judge/gate/measurer.h"

namespace nsop::cli {

struct GateArms {
  judge::Built base, head;
  std::string merge_base;    // commit that both sides have in common; empty: unknown
  judge::LinkOrders orders;  // that both have
};

struct ArmNames {
  std::string base, head;            // revision, worker program or build folder
  bool from_merge_base = false;      // the base is what both have in common
  int layouts = judge::kLinkOrders;  // of each session
  bool second_session = true;
};

// Throws Error (usage) for a suite that the head doesn't have, before anything is built.
void must_have_suites(const Context& context, const std::string& head,
                      const std::vector<std::string>& suites);

// Builds or finds both sides. Throws Error as judge::build_revision and judge::use_program do; for
// a side without a worker as open_arm().
GateArms build_arms(Context& context, const ArmNames& names);

// Both builds run the same machine code.
bool are_identical(const GateArms& arms);

// Throws Error for a side that doesn't start or doesn't speak the protocol: (inconclusive) for the
// base, (failed) for the head.
judge::ArmWorkers open_arm(const judge::Built& built, judge::Arm arm);

}  // namespace nsop::cli
