// What is only ever added to: events of baselines and alerts, removals, prunings. The callers own
// the transactions and hold the lock `events`.
#pragma once

#include <string>
#include <vector>

#include "harness/store/db.h"
#include "harness/store/store.h"

namespace nsop::store {

// Adds the event, and sets or removes the pointer that it speaks of.
void apply_baseline_event(Database& db, const BaselineEvent& event);
std::vector<BaselineEvent> read_baseline_events(Database& db);  // oldest first

// No effect if it is known; throws Error (bad data) if it is known with other content.
void add_alert_event(Database& db, const AlertEvent& event);
std::vector<AlertEvent> read_alert_events(Database& db, const std::string& order);  // columns

void add_removal(Database& db, const RemovedRun& removal);
std::vector<RemovedRun> read_removals(Database& db);  // oldest first

void add_pruning(Database& db, const PrunedRun& pruning);
std::vector<PrunedRun> read_prunings(Database& db);  // oldest first
// Is what has this seal the run before it was pruned?
bool was_pruned(Database& db, const std::string& run_id, const std::string& sha256);

}  // namespace nsop::store
