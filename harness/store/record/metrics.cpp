#include "harness/store/record/metrics.h"

#include <algorithm>
#include <array>

namespace nsop::store {
namespace {

constexpr std::array kMetrics = {
    MetricInfo{"wall_ns_per_op", "ns/op", "less", "sampled", "wall"},
    MetricInfo{"process_cpu_ns_per_op", "ns/op", "less", "sampled", "cpu"},
    MetricInfo{"allocs_per_op", "allocs/op", "less", "exact", "count"},
    MetricInfo{"bytes_per_op", "B/op", "less", "exact", "count"},
    MetricInfo{"one_time_allocs", "allocs", "less", "exact", "count"},
    MetricInfo{"one_time_bytes", "B", "less", "exact", "count"},
    MetricInfo{"peak_live_bytes", "B", "less", "exact", "count"},
    // What metered steps tell: docs/protocol.md.
    MetricInfo{"peak_rss_bytes", "B", "less", "sampled", "count"},
    MetricInfo{"episodes", "episodes/op", "more", "exact", "count"},
    MetricInfo{"moves", "moves/op", "more", "exact", "count"},
    MetricInfo{"training_calls", "calls/op", "more", "exact", "count"},
    MetricInfo{"train_call_ns", "ns/call", "less", "sampled", "wall"},
    MetricInfo{"train_first_tenth_ns", "ns/call", "less", "sampled", "wall"},
    MetricInfo{"train_last_tenth_ns", "ns/call", "less", "sampled", "wall"},
    MetricInfo{"pool_hits", "buffers/op", "more", "exact", "count"},
    MetricInfo{"pool_misses", "buffers/op", "less", "exact", "count"},
    MetricInfo{"pool_retained_bytes", "B", "less", "exact", "count"},
    MetricInfo{"phase_play_ns", "ns/op", "less", "sampled", "wall"},
    MetricInfo{"phase_sample_ns", "ns/op", "less", "sampled", "wall"},
    MetricInfo{"phase_forward_ns", "ns/op", "less", "sampled", "wall"},
    MetricInfo{"phase_backward_ns", "ns/op", "less", "sampled", "wall"},
    MetricInfo{"phase_update_ns", "ns/op", "less", "sampled", "wall"},
};

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

std::span<const MetricInfo> all_metrics() { return kMetrics; }

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
