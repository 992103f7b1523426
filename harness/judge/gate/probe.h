// A look at the machine before a gate: how much of what it measures is noise.
#pragma once

#include <functional>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/host/steal.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/gate/stored.h"

namespace nsop::judge {

// Measures each control eight times with the base's build. Noisy: the values of neighbouring
// invocations differ by an SD of more than 5 %, or less than a tenth of the repetitions ran
// undisturbed, or a control failed.
HostProbe probe_host(
    const std::vector<GateRow>& rows, Measurer& measurer, const Conditions& conditions,
    const std::function<CpuTicks()>& ticks = [] { return read_cpu_ticks(); });

// kInconclusive for a noisy machine where a quiet one is required: nothing is to be measured there.
// Else kOk.
ExitCode exit_of(const HostProbe& found, bool quiet_required);

}  // namespace nsop::judge
