// Cumulative distributions and quantiles that intervals need. Tested against SciPy.
#pragma once

namespace nsop::stats {

// P(X <= x) for a standard normal X.
double normal_cdf(double x);

// The x with normal_cdf(x) == p; infinite for 0 and 1, NaN for what is no probability.
double normal_quantile(double p);

// The regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1 (assert).
double incomplete_beta(double a, double b, double x);

// P(X <= x) for Student's t with `df` > 0 degrees of freedom.
double t_cdf(double x, double df);

// The x with t_cdf(x, df) == p; df > 0 (assert). Infinite for 0 and 1, NaN for what is no
// probability.
double t_quantile(double p, double df);

// P(X <= k) for the number of heads in n tosses of a fair coin; n >= 0. 0 for k < 0.
double fair_binomial_cdf(int k, int n);

}  // namespace nsop::stats
