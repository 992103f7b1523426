#include "harness/cli/releases.h"

#include <algorithm>
#include <filesystem>

#include "harness/core/files.h"
#include "harness/report/base/changelog.h"

namespace nsop::cli {
namespace {

// A run of the log before it is loaded.
struct Named {
  std::string name, reason, run_id, started_utc;
};

std::vector<Named> baselines_of(const store::Store& store, const Run& run) {
  std::vector<Named> named;
  for (const store::Baseline& b : store.baselines()) {
    if (b.host_id != run.host_id) continue;
    const std::string started = store.run(b.run_id).started_utc;
    if (started <= run.started_utc) named.push_back({b.name, b.reason, b.run_id, started});
  }
  return named;
}

std::vector<Named> named_by(const store::Store& store, const std::vector<std::string>& names,
                            const Run& run) {
  std::vector<Named> named;
  for (const std::string& name : names) {
    const std::string id = store.resolve_run(name, run.host_id);
    std::string reason;
    for (const store::Baseline& b : store.baselines()) {
      if (b.name == name && b.run_id == id) reason = b.reason;
    }
    named.push_back({name, reason, id, store.run(id).started_utc});
  }
  return named;
}

}  // namespace

std::vector<report::Release> releases_of(const store::Store& store, const Settings& settings,
                                         const Suite& suite, const report::RunData& run) {
  std::vector<Named> named = suite.releases.empty() ? baselines_of(store, run.run)
                                                    : named_by(store, suite.releases, run.run);
  std::stable_sort(named.begin(), named.end(),
                   [](const Named& a, const Named& b) { return a.started_utc < b.started_utc; });
  const auto own = std::find_if(named.begin(), named.end(),
                                [&](const Named& n) { return n.run_id == run.run.id; });
  if (own != named.end()) {
    std::rotate(own, own + 1, named.end());
  } else {
    named.push_back({"this run", "", run.run.id, run.run.started_utc});
  }
  const std::string path = settings.root + "/CHANGELOG.md";
  const std::string changelog = std::filesystem::exists(path) ? read_file(path) : "";
  std::vector<report::Release> releases;
  for (const Named& n : named) {
    const std::string section = n.name == "this run" ? "Unreleased" : n.name;
    releases.push_back({n.name, n.reason, n.run_id == run.run.id ? run : load_run(store, n.run_id),
                        report::changes_of(changelog, section)});
  }
  return releases;
}

}  // namespace nsop::cli
