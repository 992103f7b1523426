#include "harness/stats/gate/moderation.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "harness/stats/gate/look.h"

namespace nsop::stats {
namespace {

// The y with trigamma(y) == x, by Newton's iteration of the appendix of Smyth 2004: it converges
// monotonically from its start.
double inverse_trigamma(double x) {
  constexpr int kMostSteps = 50;
  constexpr double kSmallStep = 1e-8;
  double y = 0.5 + 1 / x;
  for (int i = 0; i < kMostSteps; ++i) {
    const double at = boost::math::trigamma(y);
    const double step = at * (1 - at / x) / boost::math::polygamma(2, y);
    y += step;
    if (-step / y < kSmallStep) break;
  }
  return y;
}

// ln of a variance with so many degrees of freedom, less what it is too small by on average.
double unbiased_log(const RowVariance& row) {
  return std::log(row.variance) - boost::math::digamma(row.df / 2) + std::log(row.df / 2);
}

}  // namespace

std::optional<RowVariance> variance_of(std::span<const PairedRound> rounds) {
  const std::optional<MiddleOfClusters> middle = middle_of_clusters(rounds, Statistic::kFastest);
  if (!middle) return std::nullopt;
  const double error = middle->mean.standard_error;
  return RowVariance{error * error * static_cast<double>(middle->clusters),
                     static_cast<double>(middle->mean.df)};
}

VariancePrior prior_of(const std::vector<RowVariance>& rows, double most_df) {
  std::vector<double> logs;
  double sum = 0, expected = 0;  // of logs; of what trigamma says that their variance is by chance
  for (const RowVariance& row : rows) {
    if (!(row.variance > 0) || !(row.df > 0)) continue;
    logs.push_back(unbiased_log(row));
    sum += logs.back();
    expected += boost::math::trigamma(row.df / 2);
  }
  if (logs.size() < kFewestRowsOfAPrior || !(most_df > 0)) return {};
  const double n = static_cast<double>(logs.size()), mean = sum / n;
  double squares = 0;
  for (const double one : logs) squares += (one - mean) * (one - mean);
  const double beyond = squares / (n - 1) - expected / n;  // how much the rows themselves differ
  const double df = beyond > 0 ? std::min(2 * inverse_trigamma(beyond), most_df) : most_df;
  return {df, std::exp(mean + boost::math::digamma(df / 2) - std::log(df / 2))};
}

std::vector<VariancePrior> priors_of(const std::vector<std::span<const PairedRound>>& rows,
                                     const GatePolicy& policy) {
  std::vector<VariancePrior> priors;
  for (const Look& look : all_looks(policy)) {
    std::vector<RowVariance> variances;
    for (const std::span<const PairedRound> rounds : rows) {
      const size_t seen = std::min(rounds.size(), static_cast<size_t>(look.rounds));
      if (const auto one = variance_of(rounds.first(seen))) variances.push_back(*one);
    }
    priors.push_back(prior_of(variances, policy.most_prior_df));
  }
  return priors;
}

}  // namespace nsop::stats
