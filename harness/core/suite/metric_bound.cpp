#include "harness/core/suite/metric_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr std::string_view kPerSecond = "_per_s";

struct Unit {
  Quantity quantity;
  const char* name;
  double factor;
};

constexpr std::array kUnits = {
    Unit{Quantity::kBytes, "B", 1},         Unit{Quantity::kBytes, "kB", 1e3},
    Unit{Quantity::kBytes, "MB", 1e6},      Unit{Quantity::kBytes, "GB", 1e9},
    Unit{Quantity::kBytes, "KiB", 1 << 10}, Unit{Quantity::kBytes, "MiB", 1 << 20},
    Unit{Quantity::kBytes, "GiB", 1 << 30}, Unit{Quantity::kTime, "ns", 1},
    Unit{Quantity::kTime, "us", 1e3},       Unit{Quantity::kTime, "µs", 1e3},
    Unit{Quantity::kTime, "ms", kNsPerMs},  Unit{Quantity::kTime, "s", 1e9},
};

std::optional<MetricBound::Sense> sense_of(const std::string& word) {
  if (word == ">=") return MetricBound::Sense::kAtLeast;
  if (word == "<=") return MetricBound::Sense::kAtMost;
  if (word == "=") return MetricBound::Sense::kEqual;
  return std::nullopt;
}

std::optional<double> plain_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const bool whole = error == std::errc() && at == end;
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<GoalMetric> with_name(std::string_view name) {
  for (const GoalMetric& one : goal_metrics()) {
    if (one.name == name) return one;
  }
  return std::nullopt;
}

// Counts of a whole operation that every row has are no events to have a rate.
bool has_rate(const GoalMetric& metric) {
  return metric.quantity == Quantity::kCount && metric.name != "allocs";
}

std::optional<GoalMetric> find_goal_metric(std::string_view name) {
  if (const auto found = with_name(name)) return found;
  if (!name.ends_with(kPerSecond)) return std::nullopt;
  const auto counted = with_name(name.substr(0, name.size() - kPerSecond.size()));
  if (!counted || !has_rate(*counted)) return std::nullopt;
  return GoalMetric{std::string(name), Quantity::kRate, false, 1, counted->name};
}

double factor_of(const GoalMetric& metric, const std::string& unit, const std::string& that) {
  std::vector<std::string> fitting;
  for (const Unit& one : kUnits) {
    if (one.quantity != metric.quantity) continue;
    if (unit == one.name) return one.factor;
    fitting.emplace_back(one.name);
  }
  throw usage_error(fmt::format("'{}': {} can't be in {}, expected {}", that, metric.name, unit,
                                fitting.empty() ? "a number alone" : join(fitting, ", ")));
}

}  // namespace

std::span<const GoalMetric> goal_metrics() {
  static const std::array<GoalMetric, 25> metrics = {{
      {"allocs", Quantity::kCount, true, 1, ""},
      {"bytes", Quantity::kBytes, true, 1, ""},
      {"peak_bytes", Quantity::kBytes, true, 1, ""},
      {"ns", Quantity::kTime, false, 1, ""},
      {"ms", Quantity::kTime, false, kNsPerMs, ""},
      {"episodes", Quantity::kCount, true, 1, ""},
      {"moves", Quantity::kCount, true, 1, ""},
      {"training_calls", Quantity::kCount, true, 1, ""},
      {"train_call_ns", Quantity::kTime, false, 1, ""},
      {"train_first_tenth_ns", Quantity::kTime, false, 1, ""},
      {"train_last_tenth_ns", Quantity::kTime, false, 1, ""},
      {"peak_rss_bytes", Quantity::kBytes, false, 1, ""},
      {"hw_cycles", Quantity::kCount, false, 1, ""},
      {"hw_instructions", Quantity::kCount, false, 1, ""},
      {"hw_cache_misses", Quantity::kCount, false, 1, ""},
      {"device_ns", Quantity::kTime, false, 1, ""},
      {"transfer_ns", Quantity::kTime, false, 1, ""},
      {"pool_hits", Quantity::kCount, true, 1, ""},
      {"pool_misses", Quantity::kCount, true, 1, ""},
      {"pool_retained_bytes", Quantity::kBytes, true, 1, ""},
      {"phase_play_ns", Quantity::kTime, false, 1, ""},
      {"phase_sample_ns", Quantity::kTime, false, 1, ""},
      {"phase_forward_ns", Quantity::kTime, false, 1, ""},
      {"phase_backward_ns", Quantity::kTime, false, 1, ""},
      {"phase_update_ns", Quantity::kTime, false, 1, ""},
  }};
  return metrics;
}

std::string goal_metric_names() {
  std::vector<std::string> names;
  for (const GoalMetric& one : goal_metrics()) names.push_back(one.name);
  return join(names, ", ");
}

bool looks_like_metric_bound(std::span<const std::string> words) {
  const bool counts = words.size() == 3 || words.size() == 4;
  return counts && sense_of(words[1]) && plain_number(words[2]);
}

MetricBound parse_metric_bound(std::span<const std::string> words) {
  assert(looks_like_metric_bound(words));
  const std::string that = join(words, " ");
  const auto sense = sense_of(words[1]);
  const auto number = plain_number(words[2]);
  const auto metric = find_goal_metric(words[0]);
  if (!metric) {
    throw usage_error(fmt::format(
        "'{}': unknown metric '{}', expected one of {}, or NAME_per_s of what is counted", that,
        words[0], goal_metric_names()));
  }
  if (sense == MetricBound::Sense::kEqual && !metric->exact) {
    throw usage_error(fmt::format(
        "'{}': {} is sampled and never equal to a number, expected >= or <=", that, metric->name));
  }
  const double factor = words.size() == 4 ? factor_of(*metric, words[3], that) : metric->unit;
  return {*metric, *sense, *number * factor};
}

bool holds(const MetricBound& bound, double value) {
  switch (bound.sense) {
    case MetricBound::Sense::kAtLeast:
      return value >= bound.number;
    case MetricBound::Sense::kAtMost:
      return value <= bound.number;
    case MetricBound::Sense::kEqual:
      return value == bound.number;
  }
  return false;
}

}  // namespace nsop
