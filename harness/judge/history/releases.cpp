#include "harness/judge/history/releases.h"

#include <algorithm>

namespace nsop::judge {
namespace {

struct Named {
  LoggedRun run;
  std::string started_utc;
};

std::vector<Named> baselines_of(const store::Store& store, const Run& run) {
  std::vector<Named> named;
  for (const store::Baseline& b : store.baselines()) {
    if (b.host_id != run.host_id) continue;
    const std::string started = store.run(b.run_id).started_utc;
    if (started <= run.started_utc) named.push_back({{b.name, b.reason, b.run_id}, started});
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
    named.push_back({{name, reason, id}, store.run(id).started_utc});
  }
  return named;
}

}  // namespace

std::vector<LoggedRun> logged_runs(const store::Store& store, const std::vector<std::string>& names,
                                   const Run& run) {
  std::vector<Named> named = names.empty() ? baselines_of(store, run) : named_by(store, names, run);
  std::stable_sort(named.begin(), named.end(),
                   [](const Named& a, const Named& b) { return a.started_utc < b.started_utc; });
  const auto own = std::find_if(named.begin(), named.end(),
                                [&](const Named& n) { return n.run.run_id == run.id; });
  if (own != named.end()) {
    std::rotate(own, own + 1, named.end());
  } else {
    named.push_back({{"this run", "", run.id}, run.started_utc});
  }
  std::vector<LoggedRun> runs;
  for (Named& n : named) runs.push_back(std::move(n.run));
  return runs;
}

}  // namespace nsop::judge
