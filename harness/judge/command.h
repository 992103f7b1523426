// Other programs, run to their end, without a shell: git, cmake, interpreters.
#pragma once

#include <string>
#include <vector>

namespace nsop::judge {

struct CommandResult {
  int status = 0;      // exit status; 128 + n when ended by signal n
  std::string output;  // standard output and error, in the order written
};

// Runs a program found on the search path in `folder`, without input, and keeps what it writes.
// Throws Error (environment) when it can't be started, run::Interrupted after an interrupt, when it
// and all that it started have been told to end.
CommandResult run_command(const std::vector<std::string>& command, const std::string& folder);

enum class Output { kInherit, kDiscard };

// Runs a program found on the search path here, with our input; returns its exit status, 127 when
// it can't be started, 128 + n when signal n ended it.
int run_program(const std::vector<std::string>& command, Output output);

}  // namespace nsop::judge
