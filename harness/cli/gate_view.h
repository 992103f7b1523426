// A stored gate, judged again from its invocations, as the report sees it.
#pragma once

#include <string>

#include "harness/judge/gate/session.h"
#include "harness/judge/gate/stored.h"
#include "harness/report/gate/report.h"
#include "harness/store/store.h"

namespace nsop::cli {

// Throws Error: (usage) for a run that is no gate, (bad data) for one whose plan is damaged.
report::GateView load_gate(const store::Store& store, const std::string& run_id);

// One sentence about the machine before the gate; empty when it was not looked at.
std::string probe_text(const judge::HostProbe& probe);

}  // namespace nsop::cli
