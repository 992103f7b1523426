// The program in Python that makes pages and plots of JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"

namespace nsop::cli {

class Renderer {
 public:
  // Throws Error (environment) that says what to install where it, or an interpreter for it, is
  // missing.
  explicit Renderer(const Settings& settings);
  // Its exit code; it has said itself what is wrong. Throws Error (environment) when it was killed
  // or couldn't be started.
  ExitCode run(const std::vector<std::string>& arguments) const;

 private:
  std::vector<std::string> command_;
};

}  // namespace nsop::cli
