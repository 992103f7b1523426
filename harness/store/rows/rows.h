// Rows of the tables of runs, in and out; the callers own the transactions.
#pragma once

#include <optional>
#include <string>

#include "harness/store/db.h"
#include "harness/store/record/record.h"
#include "harness/store/store.h"

namespace nsop::store {

// Insert a noun's body unless its id is known.
void insert_host(Database& db, const Host& host, const std::string& body);
void insert_build(Database& db, const Build& build, const std::string& body);

// Inserts a run in state running; returns its row number.
long long insert_run(Database& db, const std::string& body);
// What a run that isn't complete says of itself becomes that of `body`, of the same id. Throws
// Error (bad data) where host, origin, trust or profile differ.
void restate_run(Database& db, const std::string& body);
void set_state(Database& db, const std::string& run_id, const std::string& state,
               const std::string& ended_utc, const std::string& sha256);

struct RunRow {
  long long seq = 0;
  std::string state;
};
// Throws Error (usage) for an unknown id.
RunRow find_run(Database& db, const std::string& run_id);

// Removes the texts that no invocation shares any more.
void remove_unused_texts(Database& db);

// Stores a whole run in a transaction of its own, as import_record() does (store.h).
Imported add_record(Database& db, const RunRecord& record, const std::string& where);

// A run without its invocations; throws Error (usage) for an unknown id.
RunRecord load_head(Database& db, const std::string& run_id);
// A whole run.
RunRecord load_record(Database& db, const std::string& run_id);

}  // namespace nsop::store
