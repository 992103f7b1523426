#include "harness/cli/text/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>

#include "harness/core/error.h"
#include "harness/judge/gate/arms.h"

namespace nsop::cli {
namespace {

// CLI11 converts "-1" to the largest unsigned number and takes "nan" for a time.
template <typename T>
CLI::Validator within(T least, T most, const char* what) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        T number{};
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && stop == end && number >= least && number <= most) return {};
        return fmt::format("{}: expected {} from {} to {}", text, what, least, most);
      },
      "", "range");
}

}  // namespace

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

void declare_seed(CLI::App& verb, std::optional<uint64_t>& seed) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  verb.add_option("--seed", seed, "Of the shuffling (default: a fresh one; stored)")
      ->check(within<uint64_t>(0, kMost, "a whole number"));
}

void declare_layouts(CLI::App& verb, int& layouts, const std::string& help) {
  verb.add_option("--layouts", layouts, fmt::format("{} ({}): 1, or 6 and more", help, layouts))
      ->check(CLI::Range(1, 100))
      ->check(CLI::Validator(
          [](const std::string& text) {
            return judge::too_few_layouts(static_cast<size_t>(std::stoi(text)));
          },
          "", "layouts"));
}

void declare_lock_wait(CLI::App& verb, double& seconds) {
  verb.add_option("--lock-wait", seconds, "Seconds to wait for another measuring process")
      ->check(within<double>(0, 1e9, "seconds"));
}

void declare_instructions(CLI::App& verb, bool& instructions) {
  verb.add_flag("--instructions", instructions,
                "Also count the instructions of an operation (needs valgrind; one thread, up to "
                "AVX2) and read hardware counters where there are any");
}

}  // namespace nsop::cli
