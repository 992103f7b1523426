// A run that is known as a whole, as a record: what was not measured here, but is imported.
#pragma once

#include <string>
#include <vector>

#include "harness/store/record/record.h"

namespace nsop::store {

// A uuid (version 8, RFC 9562) that follows from a text: the same for whoever imports the same.
std::string uuid_of(const std::string& text);

// The run with its invocations in the store's order, ready for import_record(). Sets the run's plan
// of invocations, SHA-256 and, if empty, the invocations' ids and run. Throws Error (bad data) for
// what the store refuses.
RunRecord sealed_record(Run& run, const Host& host, const Build& build,
                        std::vector<Invocation> invocations);

}  // namespace nsop::store
