// Other programs, run to their end, without a shell: git, cmake, interpreters.
#pragma once

#include <string>
#include <vector>

namespace nsop::judge {

struct CommandResult {
  int status = 0;      // exit status; 128 + n when ended by signal n
  std::string output;  // standard output and error, in the order written
};

// Runs a program found on the search path in `folder`, gives it `input` to read and keeps what it
// writes.
// The repository that git names to programs that it runs (GIT_DIR, ...) is not passed on: what
// counts is `folder`. Messages are English, whatever the user's language. Throws Error
// (environment) when it can't be started, run::Interrupted after an interrupt, when it and all that
// it started have ended; what doesn't within 5 s is killed.
CommandResult run_command(const std::vector<std::string>& command, const std::string& folder,
                          const std::string& input = {});

// The line that says why, out of what a failed command wrote: the first error or, without any, the
// last line. CMake names the place and gives the reason in the line after: both. Command lines that
// Ninja prints are no errors, whatever their flags are called.
std::string first_error(const std::string& output);

enum class Output { kInherit, kDiscard };

// Runs a program found on the search path here, with our input; returns its exit status, 127 when
// it can't be started, 128 + n when signal n ended it.
int run_program(const std::vector<std::string>& command, Output output);

}  // namespace nsop::judge
