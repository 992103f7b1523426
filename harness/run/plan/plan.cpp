#include "harness/run/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/core/text.h"
#include "harness/run/plan/peers.h"

namespace nsop::run {
namespace {

Error located(const std::string& where, const Error& error) {
  return where.empty() ? error : Error(error.code(), fmt::format("{}: {}", where, error.what()));
}

const OpSpec& spec_of(const std::string& op, const Hello& hello) {
  std::vector<std::string> names;
  for (const OpSpec& spec : hello.ops) {
    if (spec.name == op) return spec;
    names.push_back(spec.name);
  }
  std::sort(names.begin(), names.end());
  const auto hit = nearest(op, names);
  throw usage_error(fmt::format("unknown op '{}'{} (ops: {})", op,
                                hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                join(names, ", ")));
}

// What a variant calls the target, `2.6.3-AVX2` for `AVX2`.
std::optional<std::string> target_of(const VariantInfo& variant, const std::string& meant) {
  for (const std::string& target : variant.targets) {
    if (is_target(target, meant)) return target;
  }
  return std::nullopt;
}

struct Found {
  int worker;
  const VariantInfo* variant;
};

// Of two workers with a variant of that name the first wins, which is ours; one that has the target
// wins over one that hasn't.
std::optional<Found> find_variant_info(const std::vector<Worker>& workers, const std::string& op,
                                       const Selector& selector) {
  std::optional<Found> first;
  for (size_t w = 0; w < workers.size(); ++w) {
    for (const VariantInfo& v : workers[w].hello.variants) {
      if (v.op != op || v.name != selector.variant) continue;
      const Found found{static_cast<int>(w), &v};
      if (selector.target == "best" || target_of(v, selector.target)) return found;
      if (!first) first = found;
    }
  }
  return first;
}

[[noreturn]] void throw_no_variant(const std::vector<Worker>& workers, const std::string& op,
                                   const std::string& name) {
  std::vector<std::string> names;
  for (const Worker& worker : workers) {
    for (const VariantInfo& v : worker.hello.variants) {
      if (v.op == op) names.push_back(v.name);
    }
  }
  const auto hit = nearest(name, names);
  throw usage_error(fmt::format("op {} has no variant '{}'{} (variants: {})", op, name,
                                hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                names.empty() ? "none" : join(names, ", ")));
}

// Turns `best` into a concrete target; a target that is a known name but not available here makes
// the row unsupported, anything else is a mistake.
void resolve_target(const Selector& selector, const Found& found, PlanRow& row) {
  static const std::set<std::string> known = {"AVX3", "AVX2",   "SSE4",   "SSSE3",
                                              "NEON", "SCALAR", "x86-64", "aarch64"};
  const std::vector<std::string>& have = found.variant->targets;
  if (selector.target == "best") {
    row.key.target = have.empty() ? "none" : have.front();
    if (have.empty()) row.unsupported = "the variant has no target on this machine";
    return;
  }
  row.key.target = selector.target;
  if (const auto target = target_of(*found.variant, selector.target)) {
    row.key.target = *target;
    return;
  }
  if (!known.contains(selector.target)) {
    throw usage_error(fmt::format("unknown target '{}' of {} (targets here: {})", selector.target,
                                  selector.variant, join(have, ", ")));
  }
  row.unsupported = fmt::format("target {} is not available here (targets here: {})",
                                selector.target, join(have, ", "));
}

// What a plan is made of.
struct Parts {
  const std::vector<Worker>& workers;
  WorkerClient& reference;
  const MissingPeers& missing;
};

// The row of a variant that no worker has for this op, if it is known to be a peer's.
std::optional<PlanRow> absent_peer_row(const Parts& parts, const std::string& op, RowKey key) {
  key.target = "none";
  for (size_t w = 0; w < parts.workers.size(); ++w) {
    if (!is_variant_of(key.variant, parts.workers[w].peer)) continue;
    return PlanRow{key, static_cast<int>(w), fmt::format("{} has no {}", key.variant, op)};
  }
  const auto it = parts.missing.find(key.variant);
  if (it == parts.missing.end()) return std::nullopt;
  return PlanRow{key, 0, it->second};
}

PlanRow row_of(const Parts& parts, const std::string& op, const Selector& selector, RowKey key) {
  if (const auto found = find_variant_info(parts.workers, op, selector)) {
    PlanRow row{std::move(key), found->worker, ""};
    resolve_target(selector, *found, row);
    const auto missing = parts.missing.find(selector.text());  // of a library that can't be held
    if (!row.unsupported.empty() && missing != parts.missing.end()) {
      row.unsupported = missing->second;
    }
    return row;
  }
  if (auto row = absent_peer_row(parts, op, key)) return *row;
  throw_no_variant(parts.workers, op, selector.variant);
}

void check_memory(const CaseDescription& description) {
  const int64_t available = read_conditions().memory_available_bytes;
  // Inputs and outputs exist in the worker and, as expected values, here; half of it stays free.
  if (available > 0 && description.memory_bytes > available / 2) {
    throw environment_error(
        fmt::format("'{}' needs {} MiB of memory, {} MiB are free; choose smaller sizes",
                    description.text, description.memory_bytes >> 20, available >> 20));
  }
}

// Is this target what ours dispatches to here? Then nobody has to be held to it.
bool is_dispatched(const Worker& ours, const std::string& op, const std::string& target) {
  const std::vector<VariantInfo>& variants = ours.hello.variants;
  return std::any_of(variants.begin(), variants.end(), [&](const VariantInfo& v) {
    return v.op == op && !v.targets.empty() && v.targets.front() == target;
  });
}

void add_case(const Case& one, const PlanRequest& request, const Parts& parts, Plan& plan,
              std::set<RowKey>& seen) {
  if (!plan.cases.contains(one.text())) {
    plan.cases[one.text()] = parts.reference.describe(one.text());
    check_memory(plan.cases[one.text()]);
  }
  std::vector<Selector> selectors = request.selectors;
  for (const Selector& selector : request.optional) {
    if (find_variant_info(parts.workers, one.op(), selector)) selectors.push_back(selector);
  }
  for (const std::string& peer : request.peers) {
    const Selector selector = Selector::parse(peer);
    if (!is_dispatched(parts.workers[0], one.op(), selector.target)) selectors.push_back(selector);
  }
  const std::vector<int> own = {plan.cases[one.text()].threads};
  for (const int threads : request.threads.empty() ? own : request.threads) {
    for (const Selector& selector : selectors) {
      PlanRow row = row_of(parts, one.op(), selector, {one.text(), selector.variant, "", threads});
      row.most_sd = request.most_sd;
      if (seen.insert(row.key).second) plan.rows.push_back(std::move(row));
    }
  }
}

}  // namespace

Profile profile_named(const std::string& name) {
  constexpr int kForInterval = 6;  // with fewer invocations there is no 95 % interval
  if (name == "comprehensive") return {name, 10, 8, kForInterval, 14 * 60, "", {}};
  if (name == "quick") return {name, 6, 3, 1, 55, "quick", {}};
  if (name == "full") return {name, 10, 600, kForInterval, 0, "", {}};
  if (name == "manual") return {name, 10, 60, kForInterval, 0, "", {}};
  throw usage_error(
      fmt::format("unknown profile '{}' (profiles: quick, comprehensive, full, manual)", name));
}

namespace {

void leave_out(const std::vector<Selector>& without, PlanRequest& request) {
  const auto left_out = [&](const Selector& s) {
    return std::find(without.begin(), without.end(), s) != without.end();
  };
  std::erase_if(request.selectors, left_out);
  std::erase_if(request.optional, left_out);
  const bool pinned = std::any_of(without.begin(), without.end(),
                                  [](const Selector& s) { return s.target == kHeldTo; });
  std::erase_if(request.peers, [&](const std::string& peer) {
    const Selector one = Selector::parse(peer);
    return left_out({one.variant, "best"}) || (pinned && one.target == kHeldTo);
  });
}

}  // namespace

std::vector<std::string> held_peers(const Suite& suite) {
  const Selector pinned{suite.after.variant, kHeldTo};
  const auto has = [&](const std::vector<Selector>& list) {
    return std::find(list.begin(), list.end(), pinned) != list.end();
  };
  const bool shown = has(suite.also) && std::any_of(suite.cases.begin(), suite.cases.end(),
                                                    [&](const auto& c) { return !has(c.without); });
  std::vector<std::string> held;
  for (const std::string& peer : suite.peers) {
    if (shown) held.push_back(Selector{peer, kHeldTo}.text());
  }
  return held;
}

std::vector<PlanRequest> suite_requests(const Suite& suite, const Profile& profile) {
  std::vector<Selector> selectors;
  if (!suite.before.variant.empty()) selectors.push_back(suite.before);
  selectors.push_back(suite.after);
  selectors.insert(selectors.end(), suite.also.begin(), suite.also.end());
  for (const std::string& target : suite.targets) {
    selectors.push_back({suite.after.variant, target});
  }
  std::vector<std::string> peers = suite.peers;
  for (const std::string& peer : held_peers(suite)) peers.push_back(peer);
  std::vector<PlanRequest> requests;
  for (const SuiteCase& c : suite.cases) {
    const bool wanted =
        profile.tag.empty() || std::find(c.tags.begin(), c.tags.end(), profile.tag) != c.tags.end();
    // Variants of its own: nobody else's either.
    const bool own = !c.variants.empty();
    if (wanted) {
      requests.push_back({c.line, c.where, own ? c.variants : selectors, c.threads,
                          own ? std::vector<std::string>() : peers,
                          own ? std::vector<Selector>() : suite.beside});
      leave_out(c.without, requests.back());
      if (suite.most_sd_percent) requests.back().most_sd = *suite.most_sd_percent / 100;
    }
  }
  return requests;
}

std::vector<PlanRequest> listed_requests(const Hello& hello,
                                         const std::vector<std::string>& lines) {
  std::vector<std::string> all = lines;
  for (const OpSpec& op : hello.ops) {
    if (!lines.empty() || op.params.size() != 1) continue;
    for (const std::string& choice : op.params[0].choices) {
      all.push_back(fmt::format("{} {}={}", op.name, op.params[0].name, choice));
    }
  }
  std::vector<PlanRequest> requests;
  for (std::string& line : all) {
    PlanRequest request{std::move(line), "", {}, {}};
    for (const VariantInfo& v : hello.variants) {
      if (v.op == case_op(request.line) && v.role != Role::kProbe) {
        request.selectors.push_back({v.name, "best"});
      }
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

Plan make_plan(const std::vector<PlanRequest>& requests, const std::vector<Worker>& workers,
               WorkerClient& reference, const Profile& profile, uint64_t seed,
               const MissingPeers& missing) {
  Plan plan{profile, seed, {}, {}, {}};
  const Parts parts{workers, reference, missing};
  std::set<RowKey> seen;
  const Hello hello = reference.hello();
  for (const PlanRequest& request : requests) {
    try {
      const OpSpec& spec = spec_of(case_op(request.line), hello);
      for (const Case& one : expand_cases(request.line, spec)) {
        add_case(one, request, parts, plan, seen);
      }
    } catch (const Error& error) {
      throw located(request.where, error);
    }
  }
  // Rows of a case are neighbours, so that its variants can be interleaved.
  std::map<std::string, size_t> first;
  for (const PlanRow& row : plan.rows) first.emplace(row.key.case_text, first.size());
  std::stable_sort(plan.rows.begin(), plan.rows.end(), [&](const PlanRow& a, const PlanRow& b) {
    return first[a.key.case_text] < first[b.key.case_text];
  });
  return plan;
}

void filter_plan(Plan& plan, const std::string& pattern, const std::string& selector, int threads) {
  std::erase_if(plan.rows, [&](const PlanRow& row) {
    if (!pattern.empty() && !case_matches(row.key.case_text, pattern)) return true;
    if (threads != 0 && row.key.threads != threads) return true;
    if (selector.empty()) return false;
    const Selector wanted = Selector::parse(selector);
    return wanted.variant != row.key.variant ||
           (wanted.target != "best" && wanted.target != row.key.target);
  });
}

namespace {

// What the machines that this was written on need, roughly.
double invocation_seconds(const PlanRow& row, const CaseFacts& facts) {
  constexpr double kStart = 0.055;         // process, checks, warm-up and ten repetitions
  constexpr double kBytesPerSecond = 4e8;  // to write, compare and dump arrays
  const bool plain = row.key.target == "SCALAR" || row.key.target == kBaselineTarget;
  const double step = facts.flops / (plain ? 1.2e9 : 4e10);
  const double steps = step > 0.2 ? 2 : step > 2e-3 ? 6 : 0;
  return kStart + steps * step + facts.working_set_bytes / kBytesPerSecond;
}

}  // namespace

double row_seconds(const Plan& plan, const PlanRow& row) {
  if (!row.unsupported.empty()) return 0;
  const double once = invocation_seconds(row, plan.cases.at(row.key.case_text).facts);
  const double most = plan.profile.rounds,
               fewest = std::min<double>(plan.profile.fewest_rounds, most);
  const double counting = once;  // as long as one timing
  return counting + once * std::clamp(std::floor(plan.profile.row_budget_s / once), fewest, most);
}

double estimate_seconds(const Plan& plan) {
  double seconds = 0;
  for (const PlanRow& row : plan.rows) seconds += row_seconds(plan, row);
  const double limit = plan.profile.total_budget_s;
  return limit > 0 ? std::min(seconds, limit) : seconds;
}

}  // namespace nsop::run
