#include "harness/cli/text/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nsop::cli {

std::string sparkline(const std::vector<double>& values) {
  constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double kLeastSpan = 0.1;  // of the logarithm
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const double v : values) {
    if (!(v > 0)) continue;
    lo = std::min(lo, std::log(v));
    hi = std::max(hi, std::log(v));
  }
  const double missing = std::max(0.0, kLeastSpan - (hi - lo)) / 2;
  lo -= missing;
  hi += missing;
  std::string text;
  for (const double v : values) {
    if (!(v > 0)) {
      text += "·";
      continue;
    }
    const double height = (std::log(v) - lo) / (hi - lo) * kBlocks.size();
    text += kBlocks[std::min(kBlocks.size() - 1, static_cast<size_t>(height))];
  }
  return text;
}

}  // namespace nsop::cli
