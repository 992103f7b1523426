// The measuring engine: times repetitions of a prepared step. The only place that knows Google
// Benchmark is engine.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/registry.h"
#include "harness/core/sample.h"

namespace nsop::worker {

struct MeasureOptions {
  int64_t warmup_ns = 8'000'000;    // process CPU time spent before the first repetition
  int repetitions = 10;             // where one operation takes at most min_time_ns
  int64_t min_time_ns = 2'000'000;  // wall time that a repetition aims to exceed
  int slow_repetitions = 3;         // of one operation each, where it takes longer than min_time_ns
  // Shortest wall time of one operation seen so far, 0 if none: keeps one preempted warm-up
  // operation from making a fast step look slow.
  int64_t known_step_ns = 0;
  bool counters = false;  // of the hardware, too, of the calling thread: metrics of a repetition
};

// What the calibration decided: `repetitions` of exactly `iterations` operations.
struct Plan {
  int64_t iterations = 1;
  int repetitions = 1;
};

// Warms up and chooses the iterations. A step whose operation takes longer than min_time_ns is run
// at most once, and not at all where warmup_ns is 0 and its time is known. Waiting counts too: the
// warm-up ends after ten times warmup_ns of wall time at the latest.
Plan warm_up(Step& step, const MeasureOptions& options);

// Runs exactly plan.repetitions x plan.iterations operations on the calling thread and returns one
// Repetition each. Throws Error (environment) when the engine did anything else than asked;
// whatever the step throws passes through. `counters`: with the hardware's, where there are any.
std::vector<Repetition> time_plan(Step& step, const Plan& plan, bool counters = false);

// warm_up(), then time_plan().
std::vector<Repetition> measure(Step& step, const MeasureOptions& options);

// `google-benchmark 1.7.1`
std::string engine_version();

}  // namespace nsop::worker
