#include "layers/apps/dqn2048/call_times.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

namespace nsop::layers {
namespace {

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

}  // namespace

std::map<std::string, double> CallTimes::metrics() const {
  assert(!ns_.empty());
  const std::span<const double> all(ns_);
  const size_t tenth = std::max<size_t>(1, all.size() / 10);
  const auto calls = static_cast<double>(all.size());
  return {{"training_calls", calls},
          {"train_call_ns", std::accumulate(all.begin(), all.end(), 0.0) / calls},
          {"train_first_tenth_ns", median(all.first(tenth))},
          {"train_last_tenth_ns", median(all.last(tenth))}};
}

}  // namespace nsop::layers
