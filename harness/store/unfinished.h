// Copies of a database that a killed process never finished.
#pragma once

#include <string>

#include "harness/core/files.h"

namespace nsop::store {

// The name under which the file `target` is written before it is renamed.
std::string unfinished_name(const std::string& target);

// Removes, beside the database at `path`, what has such a name and was abandoned, and what has the
// name that earlier versions gave to copies of it and of its backups.
Leftovers remove_unfinished(const std::string& path);

}  // namespace nsop::store
