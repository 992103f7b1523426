// Nothing that the engine reports is believed unless it is what was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/worker/engine.h"

namespace nsop::worker {

// One run as the engine reported it, with the fields that differ between its versions evened out.
struct EngineRun {
  std::string name;
  int64_t iterations = 0;
  double wall_ns = 0;
  bool failed = false;
};

// Throws Error (environment) unless one benchmark matched and the engine's runs, and the
// repetitions that we saw being made, are `plan.repetitions` of `plan.iterations` of `name`, none
// of them failed.
void check_runs(const std::vector<EngineRun>& runs, const std::vector<Repetition>& ours,
                const Plan& plan, const std::string& name, size_t matches);

// Throws Error (environment) when the engine's wall times are not those of CLOCK_MONOTONIC, read
// around them: more than 1 % and 20 us apart in two repetitions and in three quarters of them,
// preempted ones left out. Less often it is chance: the processor was taken away between the two
// readings, which a virtual machine isn't told.
void cross_check(const std::vector<EngineRun>& runs, const std::vector<Repetition>& ours);

}  // namespace nsop::worker
