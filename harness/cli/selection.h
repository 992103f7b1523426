// The options by which verbs are told what to measure, and what they show while it is measured.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/run/job.h"

namespace nsop::cli {

struct MeasureOptions : run::JobOptions {
  double lock_wait_s = 10;       // for another measuring process
  std::string warmup, min_time;  // as they are written
};

// Cases, suites, profile, variants, threads, ...
void declare_selection(CLI::App& verb, MeasureOptions& options);

// The same as arguments of `nsop run`, as another process takes them.
std::vector<std::string> selection_arguments(const Context& context, const MeasureOptions& options);

// Chooses, starts the workers and plans. Throws Error (usage, environment).
run::Job new_job(const Settings& settings, const MeasureOptions& options);

// Measures what the job plans and hasn't done, and completes its run; tells how it goes. Throws
// run::Interrupted after the run was stored as aborted.
void measure_job(Context& context, const MeasureOptions& options, store::Store& store,
                 const run::Job& job);

// Says so where instructions can't be counted, and what to do.
void tell_missing_valgrind(Context& context);

}  // namespace nsop::cli
