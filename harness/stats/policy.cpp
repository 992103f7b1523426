#include <algorithm>

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

Bound classify_bound(double flops, double bytes, double working_set_bytes, const Host& host) {
  if (bytes > 0 && flops / bytes >= kCoreFlopsPerByte) return Bound::kCore;
  int64_t largest = 0;
  for (const auto& [name, size] : host.cache_bytes) largest = std::max(largest, size);
  return working_set_bytes <= static_cast<double>(largest) && largest > 0 ? Bound::kCache
                                                                          : Bound::kDram;
}

}  // namespace nsop::stats
