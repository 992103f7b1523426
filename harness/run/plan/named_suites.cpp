#include "harness/run/plan/named_suites.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"

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

}  // namespace nsop::run
