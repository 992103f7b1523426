#include "harness/stats/gate/precedence.h"

#include <algorithm>
#include <optional>

namespace nsop::stats {
namespace {

// The fewest of n smallest values that chance alone doesn't bring together; nullopt: not even all.
std::optional<size_t> fewest_together(size_t n, size_t m, double alpha) {
  for (size_t k = 1; k <= n; ++k) {
    if (precedence(k, n, m) <= alpha) return k;
  }
  return std::nullopt;
}

}  // namespace

double precedence(size_t k, size_t n, size_t m) {
  if (k > n) return 0;
  double p = 1;
  for (size_t i = 0; i < k; ++i) p *= static_cast<double>(n - i) / static_cast<double>(n + m - i);
  return p;
}

LogInterval precedence_interval(std::vector<double> base, std::vector<double> head, double alpha) {
  const auto of_base = fewest_together(base.size(), head.size(), alpha / 2);
  const auto of_head = fewest_together(head.size(), base.size(), alpha / 2);
  if (!of_base || !of_head) return {};
  std::sort(base.begin(), base.end());
  std::sort(head.begin(), head.end());
  LogInterval shift;
  shift.lo = head.front() - base[*of_base - 1];
  shift.hi = head[*of_head - 1] - base.front();
  shift.middle = (shift.lo + shift.hi) / 2;
  return shift;
}

}  // namespace nsop::stats
