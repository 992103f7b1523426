#include "harness/cli/renderer.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/judge/builds/command.h"

namespace nsop::cli {
namespace {

constexpr int kSignal = 128;  // exit status n above it: ended by signal n

}  // namespace

Renderer::Renderer(const Settings& settings) {
  const std::string program = settings.data + "/reports/nsop_report";
  if (!std::filesystem::exists(program)) {
    throw environment_error(fmt::format(
        "{}: the report renderer is not there; it lies in the project's folder, or where "
        "`cmake --install` put it",
        program));
  }
  command_ = {find_python(settings), "-I", program};
}

ExitCode Renderer::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = command_;
  command.insert(command.end(), arguments.begin(), arguments.end());
  const int status = judge::run_program(command, judge::Output::kInherit);
  if (status == 0) return ExitCode::kOk;
  if (status >= 1 && status <= 5) return static_cast<ExitCode>(status);
  throw environment_error(
      status > kSignal ? fmt::format("the report renderer was killed by signal {} ({}); run the "
                                     "command again",
                                     status - kSignal, strsignal(status - kSignal))
                       : fmt::format("{}: can't be started (exit status {}); see `nsop doctor`",
                                     command_.front(), status));
}

}  // namespace nsop::cli
