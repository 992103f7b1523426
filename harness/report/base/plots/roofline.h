// Rows under the roofs of the machine.
#pragma once

#include "harness/report/base/context.h"

namespace nsop::report {

// All rows of so many threads over their arithmetic intensity, under the roofs of the machine (kind
// `scatter`). Null without limits or work.
Json roofline_plot(const Context& context, int threads);

}  // namespace nsop::report
