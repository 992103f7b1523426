// The SHA-256 that seals a run.
#pragma once

#include <string>
#include <vector>

#include "harness/store/record/record.h"

namespace nsop::store {

// Covers the run's body, state and end, its host, its builds and, in order, every invocation's
// body, which holds the hash of its samples: so a run stays verifiable when samples are pruned
// later. It is taken over stored texts, never over structs, so a field added to a noun changes no
// old digest.
std::string run_digest(const RunRecord& record);
// The same with the SHA-256 of every invocation's body, in order, in place of the bodies.
std::string run_digest(const RunRecord& record, const std::vector<std::string>& invocations);

}  // namespace nsop::store
