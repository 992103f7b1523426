// A history moved from one database to another, or copied into a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/db.h"

namespace nsop::store {

struct Copied {
  int64_t runs = 0, known = 0;       // copied now; there already
  int64_t running = 0, removed = 0;  // left out: not ended yet; removed from the other database
  int64_t events = 0;                // of baselines, alerts and removals, copied now
};

// Adds to `to` what `from` has and it has not, each run in a transaction of its own, so that a copy
// that was interrupted goes on with what is missing. With `running`, runs that have not ended, too.
// Throws Error (bad data) if both have something of one name with other content: a run, a host, a
// build, or a baseline that went different ways; runs before that are copied.
Copied copy_history(Database& from, Database& to, bool running);

// The same from one address to another; makes the second where it is missing. Throws Error (usage)
// if both are the same or the first is missing.
Copied copy_history(const std::string& from, const std::string& to);

// A new SQLite database with all that `from` has at this moment: whole or not at all. Throws Error
// (usage) if the file exists.
void copy_to_file(Database& from, const std::string& to_path);

}  // namespace nsop::store
