#include "harness/stats/base/distributions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace nsop::stats {
namespace {

// Continued fraction of the incomplete beta function, https://dlmf.nist.gov/8.17#E22, evaluated by
// the modified Lentz method (Thompson & Barnett 1986, doi:10.1016/0021-9991(86)90046-X).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 100000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      factor = c * d;
      value *= factor;
    }
    if (std::abs(factor - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

// I_x(a, b) with y = 1 - x given apart, so that an x near 1 loses no digits.
double incomplete_beta_of(double a, double b, double x, double y) {
  if (x == 0 || y == 0) return x;
  // The fraction converges fast below the mean only: https://dlmf.nist.gov/8.17#E4 does the rest.
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta_of(b, a, y, x);
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y);
  return std::exp(log_front) * beta_fraction(a, b, x) / a;
}

// The x <= 0 with cdf(x) == p for an increasing cdf and p <= cdf(0): the lower tail, where
// probabilities keep their relative precision. Bisection: slower than Newton, but never astray.
template <typename Cdf>
double lower_tail_quantile(double p, Cdf cdf) {
  double lo = -1, hi = 0;
  while (cdf(lo) > p) {
    hi = lo;
    lo *= 2;
    if (std::isinf(lo)) return lo;  // beyond what a double can say
  }
  while (true) {
    const double middle = lo + (hi - lo) / 2;
    if (middle <= lo || middle >= hi) return middle;
    (cdf(middle) < p ? lo : hi) = middle;
  }
}

template <typename Cdf>
double symmetric_quantile(double p, Cdf cdf) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0 || p == 1) return std::copysign(std::numeric_limits<double>::infinity(), p - 0.5);
  if (p == 0.5) return 0;
  return p < 0.5 ? lower_tail_quantile(p, cdf) : -lower_tail_quantile(1 - p, cdf);
}

}  // namespace

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) { return symmetric_quantile(p, normal_cdf); }

double incomplete_beta(double a, double b, double x) {
  assert(a > 0 && b > 0 && x >= 0 && x <= 1);
  return incomplete_beta_of(a, b, x, 1 - x);
}

// Abramowitz & Stegun 26.7.1 and 26.5.27: the two tails together hold I_{df/(df+x^2)}(df/2, 1/2).
double t_cdf(double x, double df) {
  assert(df > 0);
  const double ratio = x / df * x;
  const double lower = 0.5 * incomplete_beta_of(df / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio));
  return x <= 0 ? lower : 1 - lower;
}

double t_quantile(double p, double df) {
  return symmetric_quantile(p, [df](double x) { return t_cdf(x, df); });
}

double fair_binomial_cdf(int k, int n) {
  assert(n >= 0);
  if (k >= n) return 1;
  double sum = 0;
  for (int i = 0; i <= k; ++i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) -
                    n * std::numbers::ln2);
  }
  return sum;
}

}  // namespace nsop::stats
