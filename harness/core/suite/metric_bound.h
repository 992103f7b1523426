// A bound on a metric, as goals have them: `allocs = 0`, `episodes_per_s >= 100`, `ms <= 2.5`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nsop {

// What the numbers of a metric are, and their base unit: 1, bytes, ns, 1/s.
enum class Quantity { kCount, kBytes, kTime, kRate };

struct GoalMetric {
  std::string name;  // `allocs`, `episodes_per_s`
  Quantity quantity = Quantity::kCount;
  // Counted, the same in every process, and so compared exactly; else sampled, with an interval.
  bool exact = false;
  double unit = 1;      // what a number without a unit is multiplied by to be in the base unit
  std::string counted;  // of a rate: the metric that is divided by the time of an operation
};

struct MetricBound {
  enum class Sense { kAtLeast, kAtMost, kEqual };
  GoalMetric metric;
  Sense sense = Sense::kAtMost;
  double number = 0;  // in the base unit
};

// The metrics that have a name of their own: first what every row has (`allocs`, `bytes`,
// `peak_bytes`, `ns`, `ms` of one operation), then what metered steps tell (docs/protocol.md). A
// metric that counts something also has its NAME_per_s.
std::span<const GoalMetric> goal_metrics();
// `allocs, bytes, ...`
std::string goal_metric_names();

// Do these words have the form `WORD OP NUMBER [WORD]`, with `>=`, `<=` or `=` and a number that is
// not negative?
bool looks_like_metric_bound(std::span<const std::string> words);

// Reads `METRIC OP NUMBER [UNIT]`, which the words must look like (assert). The metric has
// its units: B, kB, MB, GB, KiB, MiB, GiB; ns, us, ms, s; counts and rates have none. `=` is for
// exact metrics. Throws Error (usage).
MetricBound parse_metric_bound(std::span<const std::string> words);

// Is the number on the good side?
bool holds(const MetricBound& bound, double value);

}  // namespace nsop
