// What `nsop gate` says at its end.
#pragma once

#include <map>
#include <string>

#include "harness/cli/context.h"
#include "harness/core/io/json.h"
#include "harness/judge/gate/arms.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/gate/stored.h"

namespace nsop::cli {

// The table or, with --json, `nsop.gate/1`. Returns judge::exit_of() of its outcome.
// `probe`: how noisy the machine was before.
ExitCode show_gate(Context& context, const judge::GateResult& result, const judge::GateArms& arms,
                   const std::string& run_id, const judge::HostProbe& probe);

// A row as it stands in `nsop.gate/1`.
Json gate_row_json(const judge::GateRowResult& row);
// The table of rows, the worse ones first; with `nodes`, who measured each.
void print_gate_rows(Context& context, const judge::GateResult& result,
                     const std::map<RowKey, std::string>& nodes = {});
// `1 worse, 12 same`
std::string gate_counts_text(const judge::GateResult& result);

// Both builds run the same machine code: nothing is timed.
ExitCode say_identical(Context& context, const judge::GateArms& arms, const std::string& run_id);

}  // namespace nsop::cli
