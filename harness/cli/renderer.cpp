#include "harness/cli/renderer.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/judge/builds/command.h"

namespace nsop::cli {

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
  const bool known = status >= 1 && status <= 5;
  return known ? static_cast<ExitCode>(status) : ExitCode::kEnvironment;
}

}  // namespace nsop::cli
