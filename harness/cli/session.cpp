#include "harness/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "harness/core/error.h"
#include "harness/report/forms/forms.h"
#include "harness/run/plan/named_suites.h"
#include "harness/run/plan/plan.h"

namespace nsop::cli {

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

run::ProgramPlaces program_places(const Settings& settings) {
  return {settings.worker, settings.preload, settings.reference, peer_places(settings)};
}

std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names) {
  return run::named_suites(load_suites(settings.suites, report::suite_forms()), names);
}

std::vector<Suite> measured_suites(const Settings& settings, const Run& run,
                                   const std::vector<std::string>& asked) {
  const run::Plan plan = run.plan_json.empty() ? run::Plan{}  // imported
                                               : run::plan_from_json(run.plan_json);
  const std::vector<std::string>& names = asked.empty() ? plan.suites : asked;
  if (names.empty()) {
    throw usage_error(fmt::format("run {} measured no suite that is known; name one with --suite",
                                  short_id(run.id)));
  }
  std::vector<Suite> suites = named_suites(settings, names);
  const std::string& tag = plan.profile.tag;
  for (Suite& suite : suites) {
    if (tag.empty()) continue;
    std::erase_if(suite.cases, [&](const SuiteCase& c) {
      return std::find(c.tags.begin(), c.tags.end(), tag) == c.tags.end();
    });
    suite.about += fmt::format("{}Only the cases tagged {} were measured.",
                               suite.about.empty() ? "" : " ", tag);
  }
  std::erase_if(suites, [](const Suite& suite) { return suite.cases.empty(); });
  return suites;
}

store::Store open_for_reading(const Settings& settings) {
  return store::open_existing(settings.db);
}

}  // namespace nsop::cli
