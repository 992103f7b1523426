// Tables to which events are only added.
#pragma once

#include <string>
#include <vector>

#include "harness/store/db.h"

namespace nsop::store {

// The number of the next event of `table`; the caller owns the transaction.
long long next_event(Database& db, const std::string& table);

// Gives the events of a database that is older than their digests theirs: part of migration 5.
void seal_events(Database& db);

// Problems of these tables, a line each: events that were changed, or that are gone.
std::vector<std::string> event_problems(Database& db);

}  // namespace nsop::store
