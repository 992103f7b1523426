// A look at the machine before a gate: how much of what it measures is noise.
#pragma once

#include <vector>

#include "harness/judge/gate_session.h"
#include "harness/judge/stored_gate.h"

namespace nsop::judge {

// Measures each control eight times with the base's build. Noisy: the values of neighbouring
// invocations differ by an SD of more than 5 %, or less than a tenth of the repetitions ran
// undisturbed.
HostProbe probe_host(const std::vector<GateRow>& rows, Measurer& measurer,
                     const Conditions& conditions);

}  // namespace nsop::judge
