// A stored gate as its report needs it.
#pragma once

#include <string>

#include "harness/report/gate/report.h"
#include "harness/store/store.h"

namespace nsop::report {

// The gate, judged again from its invocations. Throws Error: (usage) for a run that is no gate,
// (bad data) for one whose plan is damaged.
GateRecord load_gate(const store::Store& store, const std::string& run_id);

}  // namespace nsop::report
