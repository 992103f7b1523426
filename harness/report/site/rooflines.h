// The rooflines of a site: every row of ours under the roofs of its machine.
#pragma once

#include <vector>

#include "harness/core/io/json.h"
#include "harness/report/site/cases.h"

namespace nsop::report {

// One for each host and number of threads with a known peak; each row once.
Json rooflines_json(const std::vector<SiteCase>& cases);

}  // namespace nsop::report
