// What several verbs need: places of workers and builds, suites, the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/core/suite/suite.h"
#include "harness/judge/builds/revisions.h"
#include "harness/judge/nightly/revision_lab.h"
#include "harness/run/plan/programs.h"
#include "harness/store/store.h"

namespace nsop::cli {

// Where the workers of a session are: ours, or programs of other projects where the settings name
// any. Throws Error (usage) for programs that aren't there.
run::ProgramPlaces program_places(const Settings& settings);
// Ours, whatever is measured: they have the controls of a comparison.
run::ProgramPlaces own_places(const Settings& settings);
// Which of the programs of a session, or beside them, has the controls of a comparison.
run::Worker controls_worker(const Settings& settings, const run::Programs& programs);
run::PeerPlaces peer_places(const Settings& settings);

// The case lines that are measured: those that were given; without them, of a worker that nsop.toml
// names, its `cases`. Throws Error (usage) where a worker needs some and has none.
std::vector<std::string> lines_of(const Settings& settings, const std::vector<std::string>& given);

// Where revisions of the project are built and kept. Throws as judge::default_builds_folder().
judge::BuildPlace build_place(const Settings& settings);

// What is given of the comparisons of commits that a verb measures.
struct ComparisonOptions {
  int layouts = judge::kLinkOrders;  // link orders of each build
  std::string budget;                // most time of each comparison, as it is written
  std::optional<uint64_t> seed;
  double lock_wait_s = 0;  // for another measuring process
};
// Throws Error (usage) for a budget that is no time; otherwise as build_place().
judge::LabOptions lab_options(const Settings& settings, const ComparisonOptions& options);

// The suites with these names, or all of them when there are none. Throws Error (usage) with a
// suggestion for an unknown name.
std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names);

// The suites that a run measured, or of these names, as it measured them: of a tagged run only the
// tagged cases. Throws Error (usage) where it measured single cases and no name is given.
std::vector<Suite> measured_suites(const Settings& settings, const Run& run,
                                   const std::vector<std::string>& names = {});

// Opens the database for reading; a missing one is an Error (usage) that says how to fill it.
store::Store open_for_reading(const Settings& settings);

}  // namespace nsop::cli
