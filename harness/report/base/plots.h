// Plots as numbers with labels: Python draws them and decides nothing.
#pragma once

#include <string>

#include "harness/report/base/table.h"

namespace nsop::report {

// Lower case letters, digits and single dashes only: safe as part of a file name. Never empty.
std::string slug(const std::string& text);

// Before/after bars of one section (kind `bars`), null when it has no time at all.
Json bars_plot(const Context& context, const Section& section);

// Time and ns/element over size, a line per target (kind `lines`), null when there is no time at
// all.
Json sweep_plot(const Context& context, const Section& section);

// Bandwidth over the working set, a line per pattern and thread count (kind `lines`), null for a
// section that measures none.
Json bandwidth_plot(const Context& context, const Section& section);

// How much faster ours is than the fastest peer, or than before in a suite without peers: bars
// (kind `bars` with a baseline of 1) with their intervals. Null when no row has both.
Json ratio_plot(const Context& context, const Section& section);

// All rows of so many threads over their arithmetic intensity, under the roofs of the machine (kind
// `scatter`). Null without limits or work.
Json roofline_plot(const Context& context, int threads);

}  // namespace nsop::report
