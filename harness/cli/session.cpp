#include "harness/cli/session.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "harness/core/host.h"
#include "harness/core/util.h"

namespace nsop::cli {

namespace {

run::Worker open_one(const std::string& path, const std::string& preload) {
  try {
    return run::open_worker({path}, preload);
  } catch (const run::WorkerFailure& failure) {
    throw environment_error(fmt::format("{}: is no usable worker: {}", path, failure.what()));
  }
}

}  // namespace

Programs open_programs(const Settings& settings) {
  Programs programs;
  programs.workers.push_back(open_one(settings.worker, settings.preload));
  programs.reference = settings.reference == settings.worker ? programs.workers[0]
                                                             : open_one(settings.reference, "");
  if (!programs.reference.hello.has("reference")) {
    throw environment_error(
        fmt::format("{}: has no reference; build it with `make build`", settings.reference));
  }
  return programs;
}

run::OracleCache open_oracle(const run::Worker& reference, const std::string& scratch) {
  return {reference.timing, reference.build.reference_sha256, run::default_oracle_folder(),
          scratch};
}

std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names) {
  std::vector<Suite> all = load_suites(settings.suites);
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const Suite& suite : all) known.push_back(suite.name);
  std::vector<Suite> chosen;
  for (const std::string& name : names) {
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end()) {
      const auto hit = nearest(name, known);
      throw usage_error(fmt::format("unknown suite '{}'{} (suites: {})", name,
                                    hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                    join(known, ", ")));
    }
    chosen.push_back(all[static_cast<size_t>(it - known.begin())]);
  }
  return chosen;
}

const Host& this_host() {
  static const Host host = read_host();
  return host;
}

report::RunData load_run(const store::Store& store, const std::string& run_id) {
  report::RunData data;
  data.run = store.run(run_id);
  data.host = store.host(data.run.host_id);
  const std::vector<Invocation> invocations = store.invocations(run_id);
  std::set<std::string> builds;
  for (const Invocation& invocation : invocations) {
    if (builds.insert(invocation.build_id).second) {
      data.builds.push_back(store.build(invocation.build_id));
    }
  }
  data.rows = stats::summarize(invocations);
  return data;
}

store::Store open_for_reading(const Settings& settings) {
  if (!std::filesystem::exists(settings.db)) {
    throw usage_error(
        fmt::format("{}: no database yet; fill one with `nsop run` or `nsop import`", settings.db));
  }
  return store::Store(settings.db, store::Mode::kReadOnly);
}

std::string short_id(const std::string& uuid) { return uuid.substr(0, 8); }

}  // namespace nsop::cli
