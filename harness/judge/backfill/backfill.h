// Measures old commits into the history, newest first, each alternately with a fixed reference, so
// that a new machine has a past.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/judge/backfill/drift.h"
#include "harness/judge/backfill/range.h"
#include "harness/judge/backfill/session.h"

namespace nsop::judge {

enum class BackfillState {
  kWanted,    // to be measured
  kPresent,   // a night of this host has it
  kMeasured,  // now
  kSkipped    // it can't be measured
};

struct BackfillCommit {
  std::string commit;
  BackfillState state = BackfillState::kWanted;
  std::string run_id{};  // that has its values
  std::string why{};     // it was skipped
};

// What is wanted of each commit, in their order: those that are there already go by the database
// and, if a folder is given, by its files. `database` may be null: there is none yet.
std::vector<BackfillCommit> plan_backfill(const std::vector<std::string>& commits,
                                          const WantedNight& wanted, const store::Store* database,
                                          const std::string& folder);

// The night that a run of the plan would be on this host.
WantedNight wanted_night(const run::Plan& plan);

// Measures the commits that are wanted, in their order, and says of each what became of it, there
// and in a note. A night that only the database has is written into the folder, if one is given.
// Throws Error for a reference that can't be measured, for the store, the lock, a full disk;
// run::Interrupted after what is complete was told.
void measure_backfill(const BackfillSetup& setup, std::vector<BackfillCommit>& commits,
                      store::Store& store, run::Observer& observer, const BuildNote& note);

// What the sessions of these commits measured of the reference, in their order, whenever that was.
std::vector<ReferenceValues> reference_values(const store::Store& store,
                                              const std::string& reference,
                                              const std::vector<BackfillCommit>& commits);

// How many are in that state.
size_t count_state(const std::vector<BackfillCommit>& commits, BackfillState state);

// kInconclusive where every commit was skipped: the history has none of them. Else kOk.
ExitCode exit_of(const std::vector<BackfillCommit>& commits);

}  // namespace nsop::judge
