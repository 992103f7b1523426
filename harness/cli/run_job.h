// What `nsop run` was asked for, and the plan that this makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/session.h"

namespace nsop::cli {

struct RunOptions {
  std::vector<std::string> cases, suites, variants;
  std::vector<int> threads;
  std::string profile, filter, resume, revision, trust = "local";
  int rounds = 0;
  std::optional<uint64_t> seed;
  const CLI::Option* resume_option = nullptr;
  bool dry_run = false;
  double lock_wait_s = 10;
};

// One call of the verb: new, or resumed.
struct Job {
  run::Plan plan;
  std::string run_id;
  run::Done done;
  Programs programs;
};

// Chooses suites and peers, starts the programs that are needed and plans. Throws Error (usage,
// environment).
Job new_job(const RunOptions& options, const Settings& settings);

// The options that say what is measured and how: cases, suites, profile, variants, threads, ...
void declare_selection(CLI::App& verb, RunOptions& options);

// Stores a new run for a job, which gets its id.
void begin_job(const RunOptions& options, store::Store& store, Job& job);

// Measures what the job plans and hasn't done, and completes its run; tells how it goes. Throws
// Interrupted after the run was stored as aborted.
void measure_job(Context& context, const RunOptions& options, store::Store& store, const Job& job);

}  // namespace nsop::cli
