// Starting another program, without a shell.
#pragma once

#include <string>
#include <vector>

namespace nsop::cli {

enum class Output { kInherit, kDiscard };

// Runs `command` (looked up on the PATH) to its end; returns its exit status, 127 when it can't be
// started, 128 + n when signal n ended it.
int run_command(const std::vector<std::string>& command, Output output);

}  // namespace nsop::cli
