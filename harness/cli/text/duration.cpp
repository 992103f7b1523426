#include "harness/cli/text/duration.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "harness/core/error.h"

namespace nsop::cli {

double parse_seconds(const std::string& option, const std::string& text) {
  static const std::map<std::string, double> units = {{"", 1},   {"ms", 1e-3}, {"s", 1},
                                                      {"m", 60}, {"h", 3600},  {"d", 86400}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = units.find(std::string(end, text.data() + text.size()));
  if (error != std::errc() || unit == units.end() || !(number >= 0) || number > 1e9) {
    throw usage_error(
        fmt::format("{} {}: expected a time like 20ms, 90s, 5m, 1h or 90d", option, text));
  }
  return number * unit->second;
}

}  // namespace nsop::cli
