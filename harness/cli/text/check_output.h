// What `nsop check` says at its end.
#pragma once

#include "harness/cli/context.h"
#include "harness/judge/history/across_hosts.h"
#include "harness/judge/nightly/check.h"

namespace nsop::cli {

// Text or, with --json, `nsop.check/1`: the report, and what other hosts say of its open
// regressions. Returns judge::exit_of(report).
ExitCode show_check(Context& context, const judge::CheckReport& report,
                    const judge::AcrossHosts& across);

}  // namespace nsop::cli
