// Rows under the roofs of the machine.
#pragma once

#include "harness/report/base/context.h"
#include "harness/report/base/plots/plot_axes.h"

namespace nsop::report {

// The roofs of the machine for so many threads with the axes around them and around points of these
// ranges, in flops per byte and flops per ns: members roofs, x_axis and y_axis. The threads must
// have a peak (assert).
Json roofs_and_axes(const Context& context, int threads, Range x, Range y);

// All rows of so many threads over their arithmetic intensity, under the roofs of the machine (kind
// `scatter`). Null without limits or work.
Json roofline_plot(const Context& context, int threads);

}  // namespace nsop::report
