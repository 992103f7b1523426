#include "harness/run/plan/named_suites.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/run/plan/plan.h"

namespace nsop::run {

void must_be_suites(const std::vector<std::string>& names, const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto hit = nearest(name, known);
    throw usage_error(fmt::format("unknown suite '{}'{} (suites: {})", name,
                                  hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                  join(known, ", ")));
  }
}

std::vector<Suite> named_suites(std::vector<Suite> all, const std::vector<std::string>& names) {
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

std::vector<Suite> measured_suites(std::vector<Suite> all, const Run& run,
                                   const std::vector<std::string>& names) {
  const Plan plan = run.plan_json.empty() ? Plan{} : plan_from_json(run.plan_json);  // {}: imported
  const std::vector<std::string>& asked = names.empty() ? plan.suites : names;
  if (asked.empty()) {
    throw usage_error(fmt::format("run {} measured no suite that is known; name one with --suite",
                                  short_id(run.id)));
  }
  std::vector<Suite> suites = named_suites(std::move(all), asked);
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

}  // namespace nsop::run
