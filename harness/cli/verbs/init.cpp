// nsop init, a verb (verbs.h): an nsop.toml for the benchmarks of a project, and how much they
// differ from themselves.
#include <fmt/format.h>

#include <filesystem>

#include "harness/adapters/discover.h"
#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/judge/builds/command.h"

namespace nsop::cli {
namespace {

struct InitOptions {
  bool no_measure = false;
};

ExitCode init_verb(Context& context, const InitOptions& o) {
  namespace fs = std::filesystem;
  const std::string folder = fs::current_path().string();
  const std::string path = folder + "/nsop.toml";
  if (fs::exists(path)) {
    throw usage_error(path + " is there already: change it, or move it away");
  }
  const std::vector<adapters::Discovered> found = adapters::discover(folder);
  write_file_atomically(path, adapters::starting_toml(found));
  for (const adapters::Discovered& one : found) {
    context.out << fmt::format("{}: {}, by the adapter {}\n", one.name, one.why, one.adapter);
  }
  context.out << fmt::format("{}: {} program{}\n", path, found.size(),
                             found.size() == 1 ? "" : "s");
  if (found.empty()) {
    context.note("no benchmark was found; nsop.toml says how to name one");
    return ExitCode::kOk;
  }
  if (o.no_measure) return ExitCode::kOk;
  context.note("measuring each benchmark against itself: what differs is noise");
  context.out.flush();
  // Programs that aren't built yet are no mistake of this verb's: the gate says which.
  const int status = judge::run_program({fs::read_symlink("/proc/self/exe").string(), "gate",
                                         "--base", folder, "--head", folder, "--rounds", "6"},
                                        judge::Output::kInherit);
  if (status == static_cast<int>(ExitCode::kUsage)) return ExitCode::kOk;
  return status == static_cast<int>(ExitCode::kInconclusive) ? ExitCode::kOk
                                                             : static_cast<ExitCode>(status);
}

}  // namespace

void bind_init(CLI::App& verb, Context& context) {
  bind_verb<InitOptions>(
      verb, context,
      [](CLI::App& v, InitOptions& o) {
        v.add_flag("--no-measure", o.no_measure, "Only write nsop.toml");
      },
      init_verb);
}

}  // namespace nsop::cli
