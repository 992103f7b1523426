// No header: check_steps() of consistency.h.
#include <fmt/format.h>

#include <algorithm>

#include "harness/audit/checks/check.h"
#include "harness/audit/consistency/consistency.h"
#include "harness/audit/read/series.h"

namespace nsop::audit {
namespace {

// Two runs of one program on a machine that others share differ by as much.
constexpr double kNoise = 0.03;
constexpr size_t kFewest = 3;

bool can_be_noise(const Entry& e) {
  const Dimension dimension = e.quantity.unit.dimension;
  return (dimension == Dimension::kTime || dimension == Dimension::kRate) && !e.quantity.interval &&
         e.quantity.value > 0;
}

// How many entries from `first` on lie within kNoise of each other, each under a heading of its
// own.
size_t alike_from(const std::vector<Entry>& all, size_t first) {
  double least = all[first].quantity.value, most = least;
  size_t end = first + 1;
  for (; end < all.size(); ++end) {
    const Entry& next = all[end];
    if (!can_be_noise(next) || !same_kind(next.quantity, all[first].quantity) ||
        next.above == all[end - 1].above)
      break;
    least = std::min(least, next.quantity.value);
    most = std::max(most, next.quantity.value);
    if (most > least * (1 + kNoise)) break;
  }
  return end - first;
}

}  // namespace

std::vector<Finding> check_steps(const Document& document) {
  std::vector<Finding> out;
  for (const std::vector<Entry>& all : Series(document).groups()) {
    for (size_t i = 0; i < all.size();) {
      const size_t count = can_be_noise(all[i]) ? alike_from(all, i) : 1;
      const auto [least, most] = std::minmax_element(
          all.begin() + static_cast<long>(i), all.begin() + static_cast<long>(i + count),
          [](const Entry& a, const Entry& b) { return a.quantity.value < b.quantity.value; });
      if (count >= kFewest && least->quantity.value < most->quantity.value) {
        out.push_back(
            {all[i + count - 1].line, Kind::kNotCheckable, most->quantity.text,
             fmt::format("{} values from line {} on lie within {:.1f} % of each other and have no "
                         "interval: whether they differ can't be told from noise",
                         count, all[i].line,
                         (most->quantity.value / least->quantity.value - 1) * 100)});
      }
      i += count;
    }
  }
  return out;
}

}  // namespace nsop::audit
