// Location and spread that a few wild values don't move. Order of the values never matters.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace nsop::stats {

// The middle value, or the mean of the two middle ones. Not empty (assert).
double median(std::vector<double> values);

// Makes the median absolute deviation of normal values estimate their standard deviation:
// 1 / normal_quantile(0.75).
constexpr double kMadToSd = 1.482602218505602;

// kMadToSd x median of |v - median|: estimates the standard deviation of normal values. 0 for one
// value.
double scaled_mad(const std::vector<double>& values);

// Standard deviation with n - 1; 0 for one value.
double standard_deviation(std::vector<double> values);

// Standard error of the median; at least two values (assert). From the scaled MAD, corrected for
// small samples, x sqrt(pi / 2n). Below six values, or when more than half of them are equal (MAD
// 0), from the standard deviation: there the MAD is too easily small by chance.
double median_standard_error(const std::vector<double>& values);

// The narrowest symmetric interval between order statistics that covers the median with at least
// `confidence`, for any continuous distribution; nullopt where no finite one exists (fewer than six
// values at 95 %). Source: David & Nagaraja, Order Statistics (2003), section 7.1.
std::optional<std::pair<double, double>> median_interval(std::vector<double> values,
                                                         double confidence);

// ln(mean / least) of positive values: how far the mean lies above the least. 0 for one value. Not
// empty (assert).
double log_excess(const std::vector<double>& values);

// Mean without the floor(share * n) smallest and largest values, and the standard error of it from
// the winsorised variance (Yuen 1974, doi:10.1093/biomet/61.1.165). `df` is for its t interval.
struct TrimmedMean {
  double mean = 0;
  double standard_error = 0;  // 0 when only one value is left
  int df = 0;
};
// Not empty, 0 <= share < 0.5 (assert).
TrimmedMean trimmed_mean(std::vector<double> values, double share);

}  // namespace nsop::stats
