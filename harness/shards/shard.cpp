#include "harness/shards/shard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <set>
#include <vector>

#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/judge/gate/plan.h"

namespace nsop::shards {
namespace {

constexpr int kMostShards = 100'000;

bool read_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

struct CaseCost {
  std::string text;
  double seconds = 0;
};

// In the order of the plan.
std::vector<CaseCost> costs_of(const run::Plan& plan) {
  std::vector<CaseCost> costs;
  std::map<std::string, std::set<std::string>> variants;
  for (const run::PlanRow& row : plan.rows) {
    if (variants[row.key.case_text].empty()) costs.push_back({row.key.case_text, 0});
    variants[row.key.case_text].insert(row.key.variant);
  }
  for (CaseCost& cost : costs) {
    const run::PlanRow any{{cost.text, "", "AVX2", 1}, 0, "", {}, false};
    cost.seconds = run::row_seconds(plan, any) * static_cast<double>(variants[cost.text].size());
  }
  return costs;
}

}  // namespace

ShardNumber shard_from_text(const std::string& text) {
  const size_t slash = text.find('/');
  ShardNumber shard;
  const bool is_read = slash != std::string::npos &&
                       read_number(std::string_view(text).substr(0, slash), shard.index) &&
                       read_number(std::string_view(text).substr(slash + 1), shard.of);
  if (is_read && shard.index >= 1 && shard.index <= shard.of && shard.of <= kMostShards) {
    return shard;
  }
  throw usage_error(fmt::format("--shard {}: expected I/N, the shard I of N, e.g. 3/8", text));
}

std::map<std::string, int> shards_of_cases(const run::Plan& plan, int of) {
  std::vector<CaseCost> costs = costs_of(plan);
  std::stable_sort(costs.begin(), costs.end(),
                   [](const CaseCost& a, const CaseCost& b) { return a.seconds > b.seconds; });
  std::vector<double> load(static_cast<size_t>(of));
  std::map<std::string, int> shards;
  for (const CaseCost& cost : costs) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += cost.seconds;
    shards[cost.text] = static_cast<int>(least - load.begin()) + 1;
  }
  return shards;
}

void keep_shard(run::Plan& plan, const ShardNumber& shard) {
  const std::map<std::string, int> shards = shards_of_cases(plan, shard.of);
  std::erase_if(plan.rows, [&](const run::PlanRow& row) {
    return shards.at(row.key.case_text) != shard.index;
  });
  if (plan.rows.empty()) {
    throw usage_error(fmt::format("shard {} of {} has nothing to measure: there are {} cases",
                                  shard.index, shard.of, shards.size()));
  }
  std::erase_if(plan.cases, [&](const auto& one) {
    const auto it = shards.find(one.first);
    return it == shards.end() || it->second != shard.index;
  });
}

void add_controls(run::Job& job) {
  run::Plan& plan = job.plan;
  run::WorkerClient reference(job.programs.reference.timing, {}, 1);
  for (const RowKey& control : judge::control_rows()) {
    const auto is_of_case = [&](const run::PlanRow& row) {
      return row.key.case_text == control.case_text;
    };
    const bool is_planned = std::any_of(plan.rows.begin(), plan.rows.end(),
                                        [&](const auto& row) { return row.key == control; });
    const std::vector<run::VariantInfo>& ours = job.programs.workers.front().hello.variants;
    const bool is_known = std::any_of(ours.begin(), ours.end(), [&](const run::VariantInfo& v) {
      return v.op == case_op(control.case_text) && v.name == control.variant;
    });
    if (is_planned || !is_known) continue;
    plan.cases.try_emplace(control.case_text, reference.describe(control.case_text));
    // Rows of a case are neighbours.
    const auto last = std::find_if(plan.rows.rbegin(), plan.rows.rend(), is_of_case);
    plan.rows.insert(last == plan.rows.rend() ? plan.rows.end() : last.base(),
                     {control, 0, "", {}, true});
  }
}

std::string node_name() {
  for (const char* variable : {"NSOP_NODE", "SLURMD_NODENAME"}) {
    const char* name = std::getenv(variable);
    if (name != nullptr && *name != '\0') return name;
  }
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace nsop::shards
