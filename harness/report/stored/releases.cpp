#include "harness/report/stored/releases.h"

#include <filesystem>

#include "harness/core/files.h"
#include "harness/judge/history/releases.h"
#include "harness/report/base/changelog.h"
#include "harness/report/stored/run.h"

namespace nsop::report {

std::vector<Release> releases_of(const store::Store& store, const std::string& project,
                                 const Suite& suite, const RunData& run) {
  const std::string changelog = project + "/CHANGELOG.md";
  const std::string text = std::filesystem::exists(changelog) ? read_file(changelog) : "";
  const std::vector<NamedCommit> listed = load_releases(project + "/" + kReleasesFile);
  std::vector<Release> releases;
  for (const judge::LoggedRun& line : judge::logged_runs(store, suite, listed, run.run)) {
    Release release{line.name, line.reason, {}, {}, line.commit};
    if (!line.run_id.empty()) {
      release.data = line.run_id == run.run.id ? run : load_run(store, line.run_id);
    }
    release.changes = changes_of(text, line.name == "this run" ? "Unreleased" : line.name);
    releases.push_back(std::move(release));
  }
  return releases;
}

}  // namespace nsop::report
