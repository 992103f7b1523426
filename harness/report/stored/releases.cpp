#include "harness/report/stored/releases.h"

#include <filesystem>

#include "harness/core/files.h"
#include "harness/judge/history/releases.h"
#include "harness/report/base/changelog.h"
#include "harness/report/stored/run.h"

namespace nsop::report {

std::vector<Release> releases_of(const store::Store& store, const std::string& changelog,
                                 const Suite& suite, const RunData& run) {
  const std::string text = std::filesystem::exists(changelog) ? read_file(changelog) : "";
  std::vector<Release> releases;
  for (const judge::LoggedRun& n : judge::logged_runs(store, suite.releases, run.run)) {
    const std::string section = n.name == "this run" ? "Unreleased" : n.name;
    releases.push_back({n.name, n.reason, n.run_id == run.run.id ? run : load_run(store, n.run_id),
                        changes_of(text, section)});
  }
  return releases;
}

}  // namespace nsop::report
