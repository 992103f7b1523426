#include "harness/store/record/metrics.h"

#include <algorithm>

namespace nsop::store {
namespace {

double least_per_op(const std::vector<Repetition>& repetitions, int64_t Repetition::*total) {
  const auto per_op = [total](const Repetition& r) {
    return static_cast<double>(r.*total) / static_cast<double>(r.iterations);
  };
  const auto least = std::min_element(
      repetitions.begin(), repetitions.end(),
      [&](const Repetition& a, const Repetition& b) { return per_op(a) < per_op(b); });
  return per_op(*least);
}

}  // namespace

std::map<std::string, double> metrics_of(const Invocation& invocation) {
  std::map<std::string, double> metrics;
  if (invocation.status != Status::kOk) return metrics;
  if (!invocation.repetitions.empty()) {
    metrics["wall_ns_per_op"] = least_per_op(invocation.repetitions, &Repetition::wall_ns);
    metrics["process_cpu_ns_per_op"] =
        least_per_op(invocation.repetitions, &Repetition::process_cpu_ns);
    for (const auto& [name, value] : least_metrics(invocation.repetitions)) {
      metrics.emplace(name, value);
    }
  }
  if (invocation.allocs) {
    const AllocCounts& counts = *invocation.allocs;
    metrics["allocs_per_op"] = counts.allocs_per_op;
    metrics["bytes_per_op"] = counts.bytes_per_op;
    metrics["one_time_allocs"] = static_cast<double>(counts.one_time_allocs);
    metrics["one_time_bytes"] = static_cast<double>(counts.one_time_bytes);
    metrics["peak_live_bytes"] = static_cast<double>(counts.peak_live_bytes);
  }
  return metrics;
}

}  // namespace nsop::store
