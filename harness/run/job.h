// What one run is to measure: from what was asked for to a plan, or from a run that was
// interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/run/plan/programs.h"
#include "harness/run/runner.h"
#include "harness/store/store.h"

namespace nsop::run {

// What was asked for. Empty lists and texts, and 0 rounds, leave it to the profile.
struct JobOptions {
  std::vector<std::string> cases, suites, variants;
  std::vector<std::string> devices;         // measured, too, wherever they can
  std::vector<std::string> sections, tags;  // of suites only the cases under such a heading or tag
  std::vector<int> threads;
  std::string profile, filter, trust = "local";
  int rounds = 0;
  double warmup_s = 0, min_time_s = 0;  // of an invocation; of a repetition
  bool listed = false;                  // all that the worker lists, in place of suites
  bool instructions = false;            // counted, too, and hardware counters read
  std::optional<uint64_t> seed;
};

// The suites with these names, or all. Throws Error (usage) for what they do wrong.
using NamedSuites = std::function<std::vector<Suite>(const std::vector<std::string>& names)>;

struct Job {
  Plan plan;
  std::string run_id;  // empty: not begun
  Done done;
  Programs programs;
};

// The seed that was given, or a fresh one.
uint64_t seed_of(const std::optional<uint64_t>& given);

// Chooses suites and peers, starts the programs that are needed and plans. Throws Error (usage,
// environment).
Job new_job(const JobOptions& options, const ProgramPlaces& places, const NamedSuites& suites);

// Goes on with the run of this name or, for an empty one, with the newest unfinished run of this
// host. Throws Error: (usage) when it is complete, of another host, or there is none,
// (environment).
Job resumed_job(const std::string& run, const store::Store& store, const ProgramPlaces& places);

}  // namespace nsop::run
