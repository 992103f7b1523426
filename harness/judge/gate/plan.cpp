#include "harness/judge/gate/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/run/plan/named_suites.h"
#include "harness/run/workers/worker_client.h"

namespace nsop::judge {
namespace {

struct Request {
  run::PlanRequest plan;
  bool of_base = false;  // of a suite that only the base has
};

// Requests of suites, by their text: a case of both sides is asked for once.
void add_suites(const std::vector<Suite>& suites, const run::Profile& profile, bool of_base,
                std::vector<Request>& requests) {
  for (const Suite& suite : suites) {
    for (run::PlanRequest& r : run::suite_requests(suite, profile)) {
      const bool shown =
          std::any_of(r.selectors.begin(), r.selectors.end(),
                      [&](const Selector& s) { return s.variant == suite.after.variant; });
      if (!shown) continue;  // a case with variants of its own
      r.selectors = {suite.after};
      r.peers.clear();
      r.optional.clear();
      const bool known = std::any_of(requests.begin(), requests.end(), [&](const Request& other) {
        return other.plan.line == r.line && other.plan.threads == r.threads &&
               other.plan.selectors[0].variant == suite.after.variant &&
               other.plan.selectors[0].target == suite.after.target;
      });
      if (!known) requests.push_back({std::move(r), of_base});
    }
  }
}

std::vector<Suite> suites_of_base(const GateSelection& wanted, const Built& base,
                                  const SuitePlace& own, const BuildNote& note) {
  if (base.suites.empty()) return {};
  try {
    std::vector<Suite> suites = own.load(base.suites);
    std::erase_if(suites, [&](const Suite& suite) {
      return !wanted.suites.empty() && std::find(wanted.suites.begin(), wanted.suites.end(),
                                                 suite.name) == wanted.suites.end();
    });
    return suites;
  } catch (const Error& error) {
    note(fmt::format("the suites of the base can't be read: {}", error.what()));
    return {};
  }
}

std::vector<Request> requests_of(const GateSelection& wanted, const GateArms& arms,
                                 const SuitePlace& own, const run::Profile& profile,
                                 const BuildNote& note) {
  std::vector<Request> requests;
  for (const std::string& line : wanted.lines) {
    requests.push_back({{line, "", {{"hwy", "best"}}, {1}}, false});
  }
  if (!wanted.lines.empty()) return requests;
  const std::string& folder = arms.head.suites.empty() ? own.folder : arms.head.suites;
  add_suites(run::named_suites(own.load(folder), wanted.suites), profile, false, requests);
  add_suites(suites_of_base(wanted, arms.base, own, note), profile, true, requests);
  return requests;
}

// Our own ways are judged: not what came before, not other libraries.
void keep_own(const run::Hello& hello, run::PlanRequest& request) {
  std::erase_if(request.selectors, [&](const Selector& selector) {
    return std::any_of(hello.variants.begin(), hello.variants.end(), [&](const auto& variant) {
      return variant.op == case_op(request.line) && variant.name == selector.variant &&
             !is_own(variant.role);
    });
  });
}

// What both sides list, or the given lines, in every way of its own in which a side can do it.
std::vector<Request> foreign_requests(const GateSelection& wanted, const GatePlanners& planners) {
  std::vector<Request> requests;
  for (const run::Worker* worker : {&planners.head, &planners.base}) {
    for (run::PlanRequest& r : run::listed_requests(worker->hello, wanted.lines)) {
      const bool known = std::any_of(requests.begin(), requests.end(), [&](const Request& other) {
        return other.plan.line == r.line;
      });
      const bool has_ways = !r.selectors.empty();  // one that has none is refused later
      keep_own(worker->hello, r);
      if (known || (has_ways && r.selectors.empty())) continue;
      requests.push_back({std::move(r), worker == &planners.base});
    }
  }
  return requests;
}

// What one side can do of a request: why not, by row; or why nothing at all.
struct SidePlan {
  std::vector<RowKey> keys;
  std::map<RowKey, std::string> reasons;  // empty: it can
  std::optional<Error> failure;
  bool can(const RowKey& key) const {
    const auto it = reasons.find(key);
    return it != reasons.end() && it->second.empty();
  }
  std::string why_not(const RowKey& key) const {
    if (failure) return failure->what();
    const auto it = reasons.find(key);
    return it != reasons.end() ? it->second : "it runs on another target";
  }
};

SidePlan side_of(const Request& request, const GateSelection& wanted, const run::Worker& worker,
                 run::WorkerClient& reference, const run::Profile& profile, GateRowsPlan& out) {
  SidePlan side;
  try {
    run::Plan plan = run::make_plan({request.plan}, {worker}, reference, profile, 0);
    run::filter_plan(plan, wanted.filter, "", 0);
    for (const run::PlanRow& row : plan.rows) {
      side.keys.push_back(row.key);
      side.reasons[row.key] = row.unsupported;
      out.cases[row.key.case_text] = plan.cases.at(row.key.case_text);
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::kUsage) throw;
    side.failure = error;
  }
  return side;
}

GateRow row_of(const RowKey& key, const SidePlan& base, const SidePlan& head) {
  if (base.can(key) && head.can(key)) return {key, false, RowKind::kBoth};
  if (base.can(key)) return {key, false, RowKind::kLost, "head: " + head.why_not(key)};
  return {key, false, RowKind::kNew, "base: " + base.why_not(key)};
}

void add_request(const Request& request, const SidePlan& base, const SidePlan& head,
                 GateRowsPlan& out) {
  if (base.failure && head.failure) {
    if (!request.of_base) throw *head.failure;
    // Nothing here knows the op any more: the case stands for itself.
    out.rows.push_back({{request.plan.line, request.plan.selectors[0].variant, "none", 1},
                        false,
                        RowKind::kLost,
                        std::string("head: ") + head.failure->what()});
    return;
  }
  for (const SidePlan* side : {&head, &base}) {
    for (const RowKey& key : side->keys) {
      const bool known = std::any_of(out.rows.begin(), out.rows.end(),
                                     [&](const GateRow& row) { return row.key == key; });
      if (!known && (base.can(key) || head.can(key))) out.rows.push_back(row_of(key, base, head));
    }
  }
}

// Two rows of frozen code, the base's build in both arms: they move only when the machine does.
void add_controls(run::WorkerClient& reference, GateRowsPlan& out) {
  for (const RowKey& row : control_rows()) {
    out.cases[row.case_text] = reference.describe(row.case_text);
    out.rows.push_back({row, true, RowKind::kBoth});
  }
}

}  // namespace

std::vector<RowKey> control_rows() {
  return {{"relu pass=forward n=1000 range=-3:3", "elementwise", kBaselineTarget, 1},
          {"matmul m=64 n=64 k=64 trans=nn", "elementwise", kBaselineTarget, 1}};
}

bool is_control(const RowKey& row) {
  const std::vector<RowKey> rows = control_rows();
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

void check_lines(const GateSelection& wanted, run::WorkerClient& reference) {
  for (const std::string& line : wanted.lines) {
    run::make_plan({{line, "", {}, {1}}}, {}, reference, run::profile_named("manual"), 0);
  }
}

GateRowsPlan plan_gate(const GateSelection& wanted, const GateArms& arms, const SuitePlace& own,
                       const std::string& root, const GatePlanners& planners,
                       const BuildNote& note) {
  const run::Profile profile = run::profile_named(wanted.quick ? "quick" : "comprehensive");
  GateRowsPlan out;
  add_controls(planners.reference, out);
  const size_t controls = out.rows.size();
  const bool foreign = planners.base_reference != nullptr;
  run::WorkerClient& base_reference = foreign ? *planners.base_reference : planners.reference;
  run::WorkerClient& head_reference = foreign ? *planners.head_reference : planners.reference;
  for (const Request& request : foreign ? foreign_requests(wanted, planners)
                                        : requests_of(wanted, arms, own, profile, note)) {
    const SidePlan base = side_of(request, wanted, planners.base, base_reference, profile, out);
    add_request(request, base,
                side_of(request, wanted, planners.head, head_reference, profile, out), out);
  }
  if (out.rows.size() == controls) throw usage_error("nothing to judge: no row matches");
  std::map<std::string, std::string> sources;  // by op: looking for one takes milliseconds
  for (GateRow& row : out.rows) {
    const auto [it, is_new] = sources.try_emplace(case_op(row.key.case_text));
    if (is_new) it->second = source_of(root, it->first);
    row.source = it->second;
  }
  return out;
}

std::string source_of(const std::string& root, const std::string& op) {
  namespace fs = std::filesystem;
  for (const char* folder : {"layers", "kernels", "reference"}) {
    const fs::path top = fs::path(root) / folder;
    std::error_code error;
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(top, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().filename() != op + ".cpp") continue;
      const std::string file = fs::relative(it->path(), root, error).generic_string();
      // What stands for an op's past or for another library says nothing of its code today.
      if (!file.starts_with("reference/before/") && !file.starts_with("reference/peers/")) {
        found.push_back(file);
      }
    }
    if (!found.empty()) return *std::min_element(found.begin(), found.end());
  }
  return {};
}

void declare_known(std::vector<GateRow>& rows, const std::vector<KnownChange>& known,
                   const BuildPlace& place, const GateArms& arms) {
  const auto is_of = [&](const std::string& commit) {
    return !arms.head.commit.empty() && is_ancestor(place, commit, arms.head.commit) &&
           (arms.base.commit.empty() || !is_ancestor(place, commit, arms.base.commit));
  };
  for (GateRow& row : rows) {
    if (row.canary) continue;
    const KnownChange* found =
        find_known_change(known, {row.key, "worse", 1}, utc_now().substr(0, 10), is_of);
    if (found == nullptr) continue;
    row.declared = fmt::format("declared in {}: {}", found->where, found->reason);
    row.declared_percent = found->at_most_percent.value_or(0);
  }
}

}  // namespace nsop::judge
