// All rows of a run, as a table or as JSON.
#pragma once

#include "harness/cli/context.h"
#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/report/base/data/run_data.h"

namespace nsop::cli {

void print_table(Context& context, const report::RunData& data);
void print_json(Context& context, const report::RunData& data);

}  // namespace nsop::cli
