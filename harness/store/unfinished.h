// Copies of a database that a killed process never finished.
#pragma once

#include <cstdint>
#include <string>

namespace nsop::store {

struct Unfinished {
  int64_t files = 0, bytes = 0;
};

// The name under which the file `target` is written before it is renamed.
std::string unfinished_name(const std::string& target);

// Removes, beside the database at `path`, what has such a name of it or of its backups and was not
// written to for an hour.
Unfinished remove_unfinished(const std::string& path);

}  // namespace nsop::store
