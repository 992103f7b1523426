// A run as it is kept for years: what verdicts and reports need of it.
#pragma once

#include "harness/store/record/record.h"

namespace nsop::store {

// Each invocation with one repetition in place of all: the fastest (above one thread the fastest
// uninterrupted one, where there is one) with the least process CPU time, page faults and metrics
// of all, so that the row's value is the same; numbers have four significant digits, and
// invocations are numbered. Keeps the run's id and seals it anew. Throws Error (usage) for a run
// that isn't complete or whose samples were pruned.
RunRecord thinned(const RunRecord& record);

// Was the run thinned? Its lines in an export then lack what follows from the samples.
bool is_thinned(const std::string& run_body);

// The invocation of a thinned run with what its line in an export lacks.
InvocationRecord completed(const InvocationRecord& line);
// The line of such an invocation: its body without what follows from the samples.
std::string thin_line(const std::string& body);

}  // namespace nsop::store
