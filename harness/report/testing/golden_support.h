// Golden reports: what tests build, against files that are committed.
#pragma once

#include <string>

#include "harness/core/io/json.h"

namespace nsop::report {

// Expects the report to be reports/testdata/NAME.json: texts exactly, numbers but for the last
// bits. NSOP_UPDATE_GOLDEN=1 rewrites the file: look at the diff.
void expect_golden(const Json& report, const std::string& name);

}  // namespace nsop::report
