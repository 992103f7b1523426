// The summaries of one invocation that are stored beside its samples, so that history needs no
// unpacking.
#pragma once

#include <map>
#include <string>

#include "harness/core/sample.h"

namespace nsop::store {

// By name. Times are the minimum over the repetitions, in ns per operation; counts are those of the
// counting pass. Empty unless the status is ok.
std::map<std::string, double> metrics_of(const Invocation& invocation);

}  // namespace nsop::store
