#include "harness/stats/crossing.h"

#include <cmath>

namespace nsop::stats {
namespace {

bool has_interval(const Comparison& c) {
  return c.verdict != Verdict::kIncomparable && c.lo > 0 && std::isfinite(c.hi);
}

}  // namespace

Verdict verdict_of_interval(const Comparison& comparison) {
  if (!has_interval(comparison)) return Verdict::kInconclusive;
  if (comparison.hi < 1) return Verdict::kBetter;
  return comparison.lo > 1 ? Verdict::kWorse : Verdict::kInconclusive;
}

std::optional<size_t> first_lasting_win(std::span<const Comparison> by_size) {
  std::optional<size_t> first;
  for (size_t i = by_size.size(); i-- > 0;) {
    const Comparison& c = by_size[i];
    if (!has_interval(c)) continue;
    if (c.ratio > 1) break;
    if (verdict_of_interval(c) == Verdict::kBetter) first = i;
  }
  return first;
}

}  // namespace nsop::stats
