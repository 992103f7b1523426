// How often the judge is wrong, as its committed page says it.
#pragma once

#include <string>

#include "harness/core/io/json.h"

namespace nsop::report {

// {"conclusion", "tables": [{"caption", "columns", "rows"}], "charts"}: the tables of the page that
// `make judge-eval` writes, and the charts of the scores beside it, as they stand there; null where
// the page isn't there. Throws Error (environment, bad data) for one that can't be read.
Json judge_json(const std::string& path);

}  // namespace nsop::report
