// What `nsop gate` says at its end.
#pragma once

#include <string>

#include "harness/cli/context.h"
#include "harness/judge/gate/arms.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/gate/stored.h"

namespace nsop::cli {

// The table or, with --json, `nsop.gate/1`. Returns judge::exit_of() of its outcome.
// `probe`: how noisy the machine was before.
ExitCode show_gate(Context& context, const judge::GateResult& result, const judge::GateArms& arms,
                   const std::string& run_id, const judge::HostProbe& probe);

// Both builds run the same machine code: nothing is timed.
ExitCode say_identical(Context& context, const judge::GateArms& arms, const std::string& run_id);

}  // namespace nsop::cli
