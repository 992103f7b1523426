// What `nsop check` says at its end.
#pragma once

#include "harness/cli/context.h"
#include "harness/judge/nightly/check.h"

namespace nsop::cli {

// Text or, with --json, `nsop.check/1`. Returns judge::exit_of(report).
ExitCode show_check(Context& context, const judge::CheckReport& report);

}  // namespace nsop::cli
