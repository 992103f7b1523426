// Other programs, run to their end: git and cmake.
#pragma once

#include <string>
#include <vector>

namespace nsop::judge {

struct CommandResult {
  int status = 0;      // exit status; 128 + n when ended by signal n
  std::string output;  // standard output and error, in the order written
};

// Runs a program found on the search path in `folder`, without a shell and without input. Throws
// Error (environment) when it can't be started.
CommandResult run_command(const std::vector<std::string>& command, const std::string& folder);

}  // namespace nsop::judge
