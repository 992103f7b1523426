#include "harness/cli/releases.h"

#include <filesystem>

#include "harness/core/files.h"
#include "harness/judge/history/releases.h"
#include "harness/report/base/changelog.h"

namespace nsop::cli {

std::vector<report::Release> releases_of(const store::Store& store, const Settings& settings,
                                         const Suite& suite, const report::RunData& run) {
  const std::string path = settings.root + "/CHANGELOG.md";
  const std::string changelog = std::filesystem::exists(path) ? read_file(path) : "";
  std::vector<report::Release> releases;
  for (const judge::LoggedRun& n : judge::logged_runs(store, suite.releases, run.run)) {
    const std::string section = n.name == "this run" ? "Unreleased" : n.name;
    releases.push_back({n.name, n.reason, n.run_id == run.run.id ? run : load_run(store, n.run_id),
                        report::changes_of(changelog, section)});
  }
  return releases;
}

}  // namespace nsop::cli
