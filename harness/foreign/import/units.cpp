#include "harness/foreign/import/units.h"

#include <array>
#include <utility>

#include "harness/core/text.h"

namespace nsop::foreign {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 29> kUnits{{
    {"ps", 1e-3},         {"ns", 1},
    {"us", 1e3},          {"\xc2\xb5s", 1e3},
    {"\xce\xbcs", 1e3},   {"ms", 1e6},
    {"s", 1e9},           {"m", 60e9},
    {"min", 60e9},        {"h", 3600e9},
    {"nsec", 1},          {"usec", 1e3},
    {"msec", 1e6},        {"sec", 1e9},
    {"nanosecond", 1},    {"nanoseconds", 1},
    {"microsecond", 1e3}, {"microseconds", 1e3},
    {"millisecond", 1e6}, {"milliseconds", 1e6},
    {"second", 1e9},      {"seconds", 1e9},
    {"minute", 60e9},     {"minutes", 60e9},
    {"hour", 3600e9},     {"hours", 3600e9},
    {"day", 86400e9},     {"days", 86400e9},
    {"d", 86400e9},
}};

constexpr std::array<std::string_view, 8> kOperations = {
    "op", "ops", "iter", "iters", "call", "calls", "operations", "operation"};

bool is_operation(std::string_view word) {
  for (const std::string_view one : kOperations) {
    if (word == one) return true;
  }
  return false;
}

}  // namespace

std::optional<double> ns_of_unit(std::string_view unit) {
  for (const auto& [name, ns] : kUnits) {
    if (unit == name) return ns;
  }
  return std::nullopt;
}

std::optional<double> ns_per_op(double value, std::string_view unit) {
  const size_t slash = unit.find('/');
  if (slash == std::string_view::npos) {
    const auto ns = ns_of_unit(trim(unit));
    return ns ? std::optional(value * *ns) : std::nullopt;
  }
  const std::string over = trim(unit.substr(0, slash)), under = trim(unit.substr(slash + 1));
  if (is_operation(under)) {
    const auto ns = ns_of_unit(over);
    return ns ? std::optional(value * *ns) : std::nullopt;
  }
  const auto ns = ns_of_unit(under);
  if (!ns || !is_operation(over)) return std::nullopt;
  return value == 0 ? 0 : *ns / value;
}

}  // namespace nsop::foreign
