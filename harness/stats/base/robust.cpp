#include "harness/stats/base/robust.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "harness/stats/base/distributions.h"

namespace nsop::stats {
namespace {

constexpr size_t kFewestForMad = 6;

// What the MAD of n normal values must be multiplied with to be unbiased: Croux & Rousseeuw 1992,
// "Time-efficient algorithms for two highly robust estimators of scale", COMPSTAT, section 4.
double small_sample_factor(size_t n) {
  constexpr std::array<double, 10> kFactors = {1,     1,     1.196, 1.495, 1.363,
                                               1.206, 1.200, 1.140, 1.129, 1.107};
  const double count = static_cast<double>(n);
  return n < kFactors.size() ? kFactors[n] : count / (count - 0.8);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

double scaled_mad(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> distances;
  for (const double v : values) distances.push_back(std::abs(v - center));
  return kMadToSd * median(std::move(distances));
}

double log_excess(const std::vector<double>& values) {
  assert(!values.empty());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double least = *std::min_element(values.begin(), values.end());
  // The mean of equal values may be rounded to less than they are.
  return std::max(0.0, std::log(sum / static_cast<double>(values.size()) / least));
}

double standard_deviation(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());  // sums in another order would round otherwise
  const double mean = mean_of(values);
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double median_standard_error(const std::vector<double>& values) {
  const size_t n = values.size();
  assert(n >= 2);
  double spread = n < kFewestForMad ? 0 : small_sample_factor(n) * scaled_mad(values);
  if (spread == 0) spread = standard_deviation(values);
  return spread * std::sqrt(std::numbers::pi / 2 / static_cast<double>(n));
}

std::optional<std::pair<double, double>> median_interval(std::vector<double> values,
                                                         double confidence) {
  const int n = static_cast<int>(values.size());
  // Leaving out k values at each end covers the median unless <= k heads or <= k tails fall.
  int k = -1;
  while (2 * (k + 1) < n - 1 && 1 - 2 * fair_binomial_cdf(k + 1, n) >= confidence) ++k;
  if (k < 0) return std::nullopt;
  std::sort(values.begin(), values.end());
  return std::pair{values[static_cast<size_t>(k)], values[static_cast<size_t>(n - 1 - k)]};
}

TrimmedMean trimmed_mean(std::vector<double> values, double share) {
  assert(!values.empty() && share >= 0 && share < 0.5);
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  const size_t cut = static_cast<size_t>(share * static_cast<double>(n));
  const size_t left = n - 2 * cut;
  const auto kept = values.begin() + static_cast<std::ptrdiff_t>(cut);
  TrimmedMean result;
  result.mean = std::accumulate(kept, kept + static_cast<std::ptrdiff_t>(left), 0.0) /
                static_cast<double>(left);
  result.df = static_cast<int>(left) - 1;
  if (left < 2) return result;
  std::fill_n(values.begin(), cut, values[cut]);
  std::fill_n(values.rbegin(), cut, values[n - 1 - cut]);
  const double kept_count = static_cast<double>(left);
  result.standard_error = standard_deviation(values) *
                          std::sqrt(static_cast<double>(n - 1) / (kept_count * (kept_count - 1)));
  return result;
}

}  // namespace nsop::stats
