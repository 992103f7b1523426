#include "harness/run/plan/named_suites.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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

namespace {

// Were benchmarks of other projects measured, `PROGRAM name=BENCHMARK`?
bool is_of_programs(const Plan& plan) {
  return !plan.rows.empty() && std::all_of(plan.rows.begin(), plan.rows.end(), [](const auto& row) {
    return row.key.case_text.starts_with(case_op(row.key.case_text) + " name=");
  });
}

// A page for each program: what it measured, as it stands.
std::vector<Suite> suites_of_rows(const Plan& plan) {
  std::vector<Suite> suites;
  for (const PlanRow& row : plan.rows) {
    const std::string& text = row.key.case_text;
    const std::string program = case_op(text);
    if (suites.empty() || suites.back().name != program) {
      Suite suite;
      suite.name = program;
      suite.title = "Benchmarks of " + program;
      suite.form = "peers";
      suite.after = {row.key.variant};
      suites.push_back(std::move(suite));
    }
    std::vector<SuiteCase>& cases = suites.back().cases;
    if (!cases.empty() && cases.back().line == text) {
      cases.back().threads.push_back(row.key.threads);
      continue;
    }
    SuiteCase one;
    one.label = text.substr(program.size() + std::string_view(" name=").size());
    one.line = text;
    one.threads = {row.key.threads};
    cases.push_back(std::move(one));
  }
  return suites;
}

}  // namespace

std::vector<Suite> measured_suites(std::vector<Suite> all, const Run& run,
                                   const std::vector<std::string>& names) {
  const Plan plan = run.plan_json.empty() ? Plan{} : plan_from_json(run.plan_json);  // {}: imported
  const std::vector<std::string>& asked = names.empty() ? plan.suites : names;
  if (asked.empty() && is_of_programs(plan)) return suites_of_rows(plan);
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
