// nsop called as a function: for tests of what it says and with which code it ends.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "harness/cli/run_main.h"

namespace nsop::cli::test {

struct Ended {
  int code = 0;
  std::string out, err;
};

// `nsop ARGUMENTS...` with streams that are no terminals. The program is the test: no worker lies
// beside it.
inline Ended nsop(std::vector<std::string> arguments) {
  std::ostringstream out, err;
  Context context{out, err};
  arguments.insert(arguments.begin(), "nsop");
  const int code = run_main(arguments, context);
  return {code, out.str(), err.str()};
}

}  // namespace nsop::cli::test
