// What several verbs need: places of workers, suites, the database.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/core/suite/suite.h"
#include "harness/run/plan/programs.h"
#include "harness/store/store.h"

namespace nsop::cli {

// Where the workers of a session are.
run::ProgramPlaces program_places(const Settings& settings);
run::PeerPlaces peer_places(const Settings& settings);

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
