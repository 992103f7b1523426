#include "harness/cli/gate_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "harness/cli/session.h"
#include "harness/judge/nightly/revision_lab.h"
#include "harness/report/forms/forms.h"

namespace nsop::cli {
namespace {

using judge::RowKind;

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

std::vector<Suite> suites_of_base(Context& context, const GateCases& wanted,
                                  const judge::Built& base) {
  if (base.suites.empty()) return {};
  try {
    std::vector<Suite> suites = load_suites(base.suites, report::suite_forms());
    std::erase_if(suites, [&](const Suite& suite) {
      return !wanted.suites.empty() && std::find(wanted.suites.begin(), wanted.suites.end(),
                                                 suite.name) == wanted.suites.end();
    });
    return suites;
  } catch (const Error& error) {
    context.note(fmt::format("the suites of the base can't be read: {}", error.what()));
    return {};
  }
}

std::vector<Request> requests_of(Context& context, const GateCases& wanted, const GateArms& arms,
                                 const run::Profile& profile) {
  std::vector<Request> requests;
  for (const std::string& line : wanted.lines) {
    requests.push_back({{line, "", {{"hwy", "best"}}, {1}}, false});
  }
  if (!wanted.lines.empty()) return requests;
  Settings settings = context.settings;
  if (!arms.head.suites.empty()) settings.suites = arms.head.suites;
  add_suites(named_suites(settings, wanted.suites), profile, false, requests);
  add_suites(suites_of_base(context, wanted, arms.base), profile, true, requests);
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

SidePlan side_of(const Request& request, const GateCases& wanted, const run::Worker& worker,
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

// The file that a finding about the row points at.
std::string source_of(const std::string& root, const std::string& case_text) {
  const std::string op = case_op(case_text);
  for (const char* folder : {"layers", "kernels", "reference"}) {
    const std::string file = fmt::format("{}/{}.cpp", folder, op);
    if (std::filesystem::exists(root + "/" + file)) return file;
  }
  return {};
}

judge::GateRow row_of(const RowKey& key, const SidePlan& base, const SidePlan& head) {
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
                                     [&](const judge::GateRow& row) { return row.key == key; });
      if (!known && (base.can(key) || head.can(key))) out.rows.push_back(row_of(key, base, head));
    }
  }
}

// Two rows of frozen code, the base's build in both arms: they move only when the machine does.
void add_controls(run::WorkerClient& reference, GateRowsPlan& out) {
  for (const RowKey& row : judge::control_rows()) {
    out.cases[row.case_text] = reference.describe(row.case_text);
    out.rows.push_back({row, true, RowKind::kBoth});
  }
}

}  // namespace

void check_lines(const GateCases& wanted, run::WorkerClient& reference) {
  for (const std::string& line : wanted.lines) {
    run::make_plan({{line, "", {}, {1}}}, {}, reference, run::profile_named("manual"), 0);
  }
}

GateRowsPlan plan_gate(Context& context, const GateCases& wanted, const GateArms& arms,
                       const run::Worker& base, const run::Worker& head,
                       run::WorkerClient& reference) {
  const run::Profile profile = run::profile_named(wanted.quick ? "quick" : "comprehensive");
  GateRowsPlan out;
  add_controls(reference, out);
  const size_t controls = out.rows.size();
  for (const Request& request : requests_of(context, wanted, arms, profile)) {
    add_request(request, side_of(request, wanted, base, reference, profile, out),
                side_of(request, wanted, head, reference, profile, out), out);
  }
  if (out.rows.size() == controls) throw usage_error("nothing to judge: no row matches");
  for (judge::GateRow& row : out.rows) {
    row.source = source_of(context.settings.root, row.key.case_text);
  }
  return out;
}

}  // namespace nsop::cli
