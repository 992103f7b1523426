// The command line as a function of its arguments, so that tests can call it.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"

namespace nsop::cli {

// The whole program: parses `arguments`, the program's name first, runs the verb, and turns errors
// into one line on context.err. Returns the exit code; throws nothing.
int run_main(const std::vector<std::string>& arguments, Context& context);

}  // namespace nsop::cli
