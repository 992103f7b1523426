#include "harness/cli/session.h"

#include <map>
#include <memory>

#include "harness/cli/text/numbers.h"
#include "harness/core/error.h"
#include "harness/judge/builds/foreign.h"
#include "harness/report/forms/forms.h"
#include "harness/run/job.h"
#include "harness/run/plan/named_suites.h"

namespace nsop::cli {

run::PeerPlaces peer_places(const Settings& settings) {
  // An interpreter is asked once per module: that takes a tenth of a second.
  auto known = std::make_shared<std::map<std::string, std::string>>();
  return {settings.bin, settings.peers, settings.own_preload,
          [settings, known](const std::string& module) {
            const auto it = known->find(module);
            if (it != known->end()) return it->second;
            return (*known)[module] = find_python_with(settings, module);
          }};
}

run::ProgramPlaces own_places(const Settings& settings) {
  return {settings.worker, {}, settings.preload, settings.reference, peer_places(settings)};
}

run::ProgramPlaces program_places(const Settings& settings) {
  const judge::Foreign& foreign = settings.foreign;
  if (foreign.adapter.empty()) return own_places(settings);
  if (!foreign.kind.empty() && settings.program.empty()) {
    throw usage_error("--adapter " + foreign.kind + ": give the place of the program by --program");
  }
  const judge::BuildPlace place = build_place(settings);
  const judge::Built built =
      settings.revision.empty()
          ? judge::use_foreign(place, foreign.kind.empty() ? settings.root : settings.program)
          : judge::build_foreign(place, settings.revision, [](const std::string&) {});
  return {built.workers.at(0), built.arguments, built.preload, built.workers.at(0),
          peer_places(settings)};
}

std::vector<std::string> lines_of(const Settings& settings, const std::vector<std::string>& given) {
  const judge::Foreign& foreign = settings.foreign;
  if (!given.empty() || foreign.adapter.empty() || !judge::is_worker(foreign)) return given;
  if (!foreign.programs.empty() && !foreign.programs[0].cases.empty()) {
    return foreign.programs[0].cases;
  }
  throw usage_error(
      "a worker (adapter nsop) is measured on case lines: give some, or name them in nsop.toml, "
      "cases = [\"...\"]");
}

run::Worker controls_worker(const Settings& settings, const run::Programs& programs) {
  return settings.foreign.adapter.empty() ? programs.reference
                                          : run::open_programs(own_places(settings)).reference;
}

judge::BuildPlace build_place(const Settings& settings) {
  return {settings.root, judge::default_builds_folder(), settings.foreign};
}

judge::LabOptions lab_options(const Settings& settings, const ComparisonOptions& options) {
  judge::LabOptions lab;
  lab.place = build_place(settings);
  lab.gate.layouts = options.layouts;
  lab.gate.budget_s = parse_seconds("--budget", options.budget);
  lab.gate.seed = run::seed_of(options.seed);
  lab.lock_wait_s = options.lock_wait_s;
  lab.tool_version = NSOP_VERSION;
  return lab;
}

std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names) {
  return run::named_suites(load_suites(settings.suites, report::suite_forms()), names);
}

std::vector<Suite> measured_suites(const Settings& settings, const Run& run,
                                   const std::vector<std::string>& names) {
  return run::measured_suites(load_suites(settings.suites, report::suite_forms()), run, names);
}

store::Store open_for_reading(const Settings& settings) {
  return store::open_existing(settings.db);
}

}  // namespace nsop::cli
