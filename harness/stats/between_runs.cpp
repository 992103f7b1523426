#include "harness/stats/between_runs.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "harness/stats/base/robust.h"

namespace nsop::stats {
namespace {

constexpr int64_t kApartSeconds = 3600;
constexpr double kLeastTau = 0.001;

}  // namespace

std::vector<double> run_steps(const std::vector<RunValue>& history) {
  std::vector<double> steps;
  const RunValue* earlier = nullptr;
  for (const RunValue& later : history) {
    assert(later.value > 0);
    if (earlier == nullptr || earlier->segment != later.segment) {
      earlier = &later;
    } else if (later.at_s - earlier->at_s >= kApartSeconds) {
      steps.push_back(std::log(later.value / earlier->value));
      earlier = &later;
    }
  }
  return steps;
}

std::optional<double> tau_of_steps(const std::vector<double>& steps) {
  if (steps.size() + 1 < static_cast<size_t>(kFewestRunsForTau)) return std::nullopt;
  std::vector<double> sizes;
  for (const double step : steps) sizes.push_back(std::abs(step));
  return std::max(kLeastTau, kMadToSd * median(std::move(sizes)) / std::numbers::sqrt2);
}

}  // namespace nsop::stats
