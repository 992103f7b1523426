// The same kernel with a new result on every call, as a function without a destination returns one.
#pragma once

#include "harness/core/registry.h"

namespace nsop::kernels {

// The variant `<name>_fresh`: `variant` as it is, but that each run() takes new memory for every
// output and keeps it until the next results are there, as the plain loops of reference/before do.
// What it takes longer is the price of the allocation: of the call, of pages touched for the first
// time, of caches that hold the results before. A probe: it is measured where a suite or a command
// names it, and stands for nothing of ours. The steps of `variant` must be BufferedSteps, as those
// of make_step are.
Variant fresh_variant(Variant variant);

}  // namespace nsop::kernels
