// The report's section of geometric means.
#pragma once

#include "harness/report/base/context.h"

namespace nsop::report {

// Geometric means of the ratios to before and to the peers by thread count, each over the rows that
// both sides have; as one more section, null when there is nothing to compare with.
Json means_section(const Context& context);

}  // namespace nsop::report
