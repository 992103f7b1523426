// Plots of bars, one group per row.
#pragma once

#include "harness/report/base/table.h"

namespace nsop::report {

// Before/after bars of one section (kind `bars`), null when it has no time at all.
Json bars_plot(const Context& context, const Section& section);

// How much faster ours is than the fastest peer, or than before in a suite without peers: bars
// (kind `bars` with a baseline of 1) with their intervals. Null when no row has both.
Json ratio_plot(const Context& context, const Section& section);

// The same, null in a suite without peers.
Json ratio_to_peers_plot(const Context& context, const Section& section);

}  // namespace nsop::report
