// Measuring what a job plans, into the store.
#pragma once

#include <functional>
#include <string>

#include "harness/run/job.h"
#include "harness/run/runner.h"
#include "harness/store/store.h"

namespace nsop::run {

// Told what people should know, one line each.
using Note = std::function<void(const std::string&)>;

// A new run for a job that begins now, not stored yet.
Run new_run(const JobOptions& options, const std::string& tool_version, const Job& job);

// Stores a new run for a job, which gets its id. `tool_version`: of the program that measures.
void begin_job(const JobOptions& options, const std::string& tool_version, store::Store& store,
               Job& job);

// Measures what the job plans and hasn't done, and completes its run. Waits at most so many seconds
// for another measuring process. Throws Interrupted after the run was stored as aborted.
void measure_job(const Job& job, double lock_wait_s, store::Store& store, Observer& observer,
                 const Note& note);

}  // namespace nsop::run
