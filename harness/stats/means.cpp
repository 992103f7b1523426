#include "harness/stats/means.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace nsop::stats {

Comparison geometric_mean(std::span<const Comparison> rows) {
  double ratio = 0, lo = 0, hi = 0;
  bool whole = !rows.empty();
  for (const Comparison& row : rows) {
    assert(row.ratio > 0 && std::isfinite(row.ratio));
    ratio += std::log(row.ratio);
    whole = whole && row.lo > 0 && std::isfinite(row.hi);
    if (!whole) continue;
    lo += std::log(row.lo);
    hi += std::log(row.hi);
  }
  const auto count = static_cast<double>(rows.size());
  Comparison out;
  if (!rows.empty()) out.ratio = std::exp(ratio / count);
  out.lo = whole ? std::exp(lo / count) : 0;
  out.hi = whole ? std::exp(hi / count) : std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace nsop::stats
