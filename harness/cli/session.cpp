#include "harness/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "harness/core/host/host.h"
#include "harness/core/text.h"
#include "harness/report/base/limits.h"

namespace nsop::cli {

namespace {

run::Worker open_one(const std::string& path, const std::string& preload,
                     const Settings& settings) {
  try {
    const std::vector<std::string> command = run::worker_command(path, peer_places(settings));
    return run::open_worker(command, command.size() == 1 ? preload : "");
  } catch (const run::WorkerFailure& failure) {
    throw environment_error(fmt::format("{}: is no usable worker: {}", path, failure.what()));
  }
}

Programs open_ours(const Settings& settings) {
  Programs programs;
  programs.workers.push_back(open_one(settings.worker, settings.preload, settings));
  programs.reference = settings.reference == settings.worker
                           ? programs.workers[0]
                           : open_one(settings.reference, "", settings);
  if (!programs.reference.hello.has("reference")) {
    throw environment_error(
        fmt::format("{}: has no reference; build it with `make build`", settings.reference));
  }
  return programs;
}

void add_peers(Programs& programs, run::Peers peers) {
  for (run::Worker& worker : peers.workers) programs.workers.push_back(std::move(worker));
  programs.missing = std::move(peers.missing);
}

}  // namespace

run::PeerPlaces peer_places(const Settings& settings) {
  const std::string preload = settings.bin + "/libnsop_alloc.so";
  // An interpreter is asked once per module: that takes a tenth of a second.
  auto known = std::make_shared<std::map<std::string, std::string>>();
  return {settings.bin, settings.peers, std::filesystem::exists(preload) ? preload : "",
          [settings, known](const std::string& module) {
            const auto it = known->find(module);
            if (it != known->end()) return it->second;
            return (*known)[module] = find_python_with(settings, module);
          }};
}

std::vector<std::string> peers_among(const std::vector<std::string>& variants,
                                     const Settings& settings) {
  const std::vector<std::string> libraries = run::peer_names(peer_places(settings));
  std::vector<std::string> peers;
  std::copy_if(variants.begin(), variants.end(), std::back_inserter(peers),
               [&](const std::string& variant) {
                 return std::any_of(libraries.begin(), libraries.end(), [&](const auto& library) {
                   return run::is_variant_of(variant, library);
                 });
               });
  return peers;
}

Programs open_programs(const Settings& settings, const std::vector<std::string>& peers) {
  Programs programs = open_ours(settings);
  if (!peers.empty()) add_peers(programs, run::open_peers(peers, peer_places(settings)));
  return programs;
}

Programs open_all_programs(const Settings& settings) {
  Programs programs = open_ours(settings);
  add_peers(programs, run::open_all_peers(peer_places(settings)));
  return programs;
}

run::OracleCache open_oracle(const run::Worker& reference, const std::string& scratch) {
  return {reference.timing, reference.build.reference_sha256, run::default_oracle_folder(),
          scratch};
}

void must_be_suites(const std::vector<std::string>& names, const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto hit = nearest(name, known);
    throw usage_error(fmt::format("unknown suite '{}'{} (suites: {})", name,
                                  hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                  join(known, ", ")));
  }
}

std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names) {
  std::vector<Suite> all = load_suites(settings.suites);
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const Suite& suite : all) known.push_back(suite.name);
  must_be_suites(names, known);
  std::vector<Suite> chosen;
  for (const std::string& name : names) {
    const auto it = std::find(known.begin(), known.end(), name);
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
  if (data.run.profile == "gate") {
    throw usage_error(
        fmt::format("run {} is a gate, which has two builds: `nsop report --gate {}` reports it; "
                    "`nsop list runs` shows other runs",
                    short_id(run_id), short_id(run_id)));
  }
  data.host = store.host(data.run.host_id);
  const std::vector<Invocation> invocations = store.invocations(run_id);
  std::set<std::string> builds;
  for (const Invocation& invocation : invocations) {
    if (builds.insert(invocation.build_id).second) {
      data.builds.push_back(store.build(invocation.build_id));
    }
  }
  data.rows = stats::summarize(invocations);
  if (data.run.plan_json.empty()) return data;  // imported
  for (const run::PlanRow& row : run::plan_from_json(data.run.plan_json).rows) {
    data.planned.emplace(row.key.case_text, row.key.threads);
  }
  return data;
}

std::optional<std::string> run_with_limits(const store::Store& store, const std::string& host_id) {
  for (const store::RunSummary& summary : store.runs()) {
    const Run& run = summary.run;
    const bool usable = run.host_id == host_id && run.state == RunState::kComplete &&
                        run.profile != "gate" && report::measured_limits(run);
    if (usable) return run.id;
  }
  return std::nullopt;
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
