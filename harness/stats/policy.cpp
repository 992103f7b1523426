// The part of comparison.h that says which changes are noise on a host.
#include <algorithm>

#include "harness/stats/between_runs.h"
#include "harness/stats/comparison.h"

namespace nsop::stats {
namespace {

constexpr double kQuietTau = 0.005;
// Stored runs of one binary on a shared guest differ by this much; between neighbours' comings and
// goings far more.
constexpr double kNoisyTau = 0.03;
constexpr double kCoreFlopsPerByte = 8;

}  // namespace

Policy default_policy(const Host& host, const Conditions& conditions) {
  const double cpus = static_cast<double>(conditions.allowed_cpus.size());
  const bool busy = (cpus > 0 && conditions.load1 >= cpus) || conditions.steal_percent >= 1;
  Policy policy;
  policy.tau = host.hypervisor.empty() && !busy ? kQuietTau : kNoisyTau;
  return policy;
}

Policy noisier(Policy policy, const Policy& other) {
  policy.tau = std::max(policy.tau, other.tau);
  return policy;
}

LearnedTau learn_tau(const std::map<RowKey, std::vector<double>>& steps) {
  LearnedTau learned;
  std::vector<double> all;
  for (const auto& [row, one] : steps) {
    const auto own = tau_of_steps(one);
    if (!own) continue;
    ++learned.rows;
    learned.row_tau[row] = {*own, kTauDfPerStep * static_cast<double>(one.size())};
    all.insert(all.end(), one.begin(), one.end());
  }
  learned.steps = all.size();
  learned.tau = tau_of_steps(all).value_or(0);
  if (learned.rows > 0) learned.df = kTauDfPerStep * static_cast<double>(all.size()) / learned.rows;
  for (auto& [row, one] : learned.row_tau) one.tau = std::max(one.tau, learned.tau);
  return learned;
}

Policy with_learned_tau(Policy policy, const LearnedTau& learned) {
  if (learned.tau <= 0) return policy;
  policy.tau = learned.tau;
  policy.tau_df = learned.df;
  policy.row_tau = learned.row_tau;
  return policy;
}

Bound classify_bound(double flops, double bytes, double working_set_bytes, const Host& host) {
  if (bytes > 0 && flops / bytes >= kCoreFlopsPerByte) return Bound::kCore;
  int64_t largest = 0;
  for (const auto& [name, size] : host.cache_bytes) largest = std::max(largest, size);
  return working_set_bytes <= static_cast<double>(largest) && largest > 0 ? Bound::kCache
                                                                          : Bound::kDram;
}

}  // namespace nsop::stats
