// What `nsop gate` says at its end.
#pragma once

#include <string>

#include "harness/cli/context.h"
#include "harness/judge/gate_session.h"
#include "harness/judge/revisions.h"

namespace nsop::cli {

struct GateArms {
  judge::Built base, head;
  int layouts = 1;  // link orders that both have
};

// The table or, with --json, `nsop.gate/1`. Returns the exit code that the result deserves.
ExitCode show_gate(Context& context, const judge::GateResult& result, const GateArms& arms,
                   const std::string& run_id);

// Both builds run the same machine code: nothing is timed.
ExitCode say_identical(Context& context, const GateArms& arms);

}  // namespace nsop::cli
