#include "harness/report/base/goals/metric_goals.h"

#include <algorithm>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

constexpr double kNsPerSecond = 1e9;

std::optional<double> counted_value(const Summary& row, const std::string& metric) {
  if (!row.allocs) return std::nullopt;
  if (metric == "allocs") return row.allocs->allocs_per_op;
  if (metric == "bytes") return row.allocs->bytes_per_op;
  return peak_bytes(&row);
}

bool is_counted_by_us(const std::string& metric) {
  return metric == "allocs" || metric == "bytes" || metric == "peak_bytes";
}

// Sets the value; returns why it can't be compared, empty where it can.
std::string read_exact(const Summary& row, const std::string& metric, GoalRow& out) {
  if (is_counted_by_us(metric)) {
    out.value = counted_value(row, metric);
    if (!out.value) return "allocations of " + who(row) + " were not counted";
    return row.allocs->steady ? "" : kUnsteadyAllocations;
  }
  const std::vector<double> values = told_values(&row, metric);
  out.value = told(&row, metric);
  if (!out.value) return who(row) + " does not tell " + metric;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == *most ? "" : metric + " differs from invocation to invocation";
}

void judge_exact(const Summary& row, GoalRow& out) {
  const MetricBound& bound = out.goal->metric;
  out.remark = read_exact(row, bound.metric.name, out);
  out.result = !out.remark.empty()        ? GoalResult::kNotJudged
               : holds(bound, *out.value) ? GoalResult::kMet
                                          : GoalResult::kMissed;
}

bool is_time_of_op(const GoalMetric& metric) { return metric.name == "ns" || metric.name == "ms"; }

// Per invocation, in the metric's base unit; empty where the row does not tell it.
std::vector<double> sampled_values(const Summary& row, const GoalMetric& metric) {
  if (is_time_of_op(metric)) return row.wall_values;
  if (metric.quantity != Quantity::kRate) return told_values(&row, metric.name);
  std::vector<double> values = told_values(&row, metric.counted);
  for (size_t i = 0; i < values.size(); ++i) values[i] *= kNsPerSecond / row.wall_values[i];
  return values;
}

// What the report prints elsewhere: of a rate the count by the row's time.
std::optional<double> sampled_value(const Summary& row, const GoalMetric& metric) {
  if (is_time_of_op(metric)) return row.wall_ns;
  if (metric.quantity != Quantity::kRate) return told(&row, metric.name);
  const auto rate = told_per_ns(&row, metric.counted);
  return rate ? std::optional(*rate * kNsPerSecond) : std::nullopt;
}

void judge_sampled(const Summary& row, GoalRow& out) {
  const MetricBound& bound = out.goal->metric;
  out.value = sampled_value(row, bound.metric);
  if (!out.value) {
    const bool rate = bound.metric.quantity == Quantity::kRate;
    out.result = GoalResult::kNotJudged;
    out.remark = who(row) + " does not tell " + (rate ? bound.metric.counted : bound.metric.name);
    return;
  }
  if (is_of_one_machine(*out.goal)) out.against = "this machine";
  const std::vector<double> values = sampled_values(row, bound.metric);
  const auto interval = stats::median_interval(values, kSpeedupConfidence);
  if (values.size() < kFewestRounds || !interval) {
    out.remark = "too few invocations for an interval";
    return;
  }
  out.lo = interval->first;
  out.hi = interval->second;
  const bool low = holds(bound, out.lo), high = holds(bound, out.hi);
  if (low && high) out.result = GoalResult::kMet;
  if (!low && !high) out.result = GoalResult::kMissed;
}

Json number_cell(Quantity quantity, const std::string& counted, double value) {
  switch (quantity) {
    case Quantity::kCount:
      return count_cell(value);
    case Quantity::kBytes:
      return size_cell(value);
    case Quantity::kTime:
      return duration_cell(value);
    case Quantity::kRate:
      return per_second_rate_cell(value / kNsPerSecond, counted + "/s");
  }
  return missing_cell("n/a");
}

}  // namespace

void judge_metric(const stats::RowSummary& row, GoalRow& out) {
  out.goal->metric.metric.exact ? judge_exact(row, out) : judge_sampled(row, out);
}

bool is_of_one_machine(const Goal& goal) {
  const Quantity quantity = goal.metric.metric.quantity;
  return goal.kind == Goal::Kind::kMetric &&
         (quantity == Quantity::kTime || quantity == Quantity::kRate);
}

Json metric_value_cell(const GoalRow& row) {
  if (!row.value) return missing_cell("n/a");
  const GoalMetric& metric = row.goal->metric.metric;
  const auto cell = [&](double value) {
    return number_cell(metric.quantity, metric.counted, value);
  };
  Json out = cell(*row.value);
  if (row.hi > 0) {
    const Json lo = cell(row.lo), hi = cell(row.hi);
    out["interval"] = {lo["value"], hi["value"]};
    out["interval_text"] =
        metric.quantity == Quantity::kTime
            ? time_interval_text(*row.value, row.lo, row.hi)
            : "[" + lo["text"].get<std::string>() + ", " + hi["text"].get<std::string>() + "]";
  }
  return out;
}

}  // namespace nsop::report
