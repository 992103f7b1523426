// What a finished run says of each of its rows, kept beside it: looking back over hundreds of runs
// reads these few numbers, not every invocation.
//
// A summary counts only while the run has the seal that it was made of; it is made anew otherwise,
// in memory, and stored by whoever opens the database for writing. `verify` compares all with what
// the invocations say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/store/db.h"
#include "harness/store/rows/invocation_rows.h"
#include "harness/store/store.h"

namespace nsop::store {

// Raised when the same invocations give other summaries than before.
constexpr long long kSummaryVersion = 2;

// One row of a run by number of its row_key, with all of RowInRun but the run.
using RunRows = std::map<long long, RowInRun>;

// What the invocations of a run say, whatever is stored as its summary.
RunRows summarized(Database& db, long long run);
RunRows summarized(InvocationReader& reader, const std::vector<InvocationRow>& invocations);

// Stores the summaries of a run that has just been sealed, or of one that lacks them; the caller
// owns the transaction.
void store_summaries(Database& db, long long run);
void remove_summaries(Database& db, long long run);

// SQL that joins `u`, the summary of a run `r` where it has one of its present seal: else u.run is
// NULL.
std::string join_summary();

// Complete runs without summaries of their present seal.
std::vector<long long> runs_without_summaries(Database& db);

// Stores what is missing.
void complete_summaries(Database& db);

// Problems of the stored summaries of a run; empty: they are what its invocations, `said`, say.
std::vector<std::string> wrong_summaries(Database& db, long long run, const RunRows& said);

}  // namespace nsop::store
