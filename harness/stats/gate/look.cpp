#include "harness/stats/gate/look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "harness/stats/base/distributions.h"
#include "harness/stats/base/robust.h"
#include "harness/stats/gate/precedence.h"

namespace nsop::stats {
namespace {

constexpr size_t kManyValues = 20;
constexpr double kLopsided = 1.0 / 16;  // one-sided p of the sign test
constexpr double kUnlikely = 0.1;       // of few rounds, after which there are more

constexpr std::array kValues = {&PairedRound::log_ratio, &PairedRound::log_excess,
                                &PairedRound::log_first};

// Of the clusters whose rounds have the statistic.
std::vector<double> cluster_means(std::span<const PairedRound> rounds, Statistic statistic) {
  const auto value = kValues.at(static_cast<size_t>(statistic));
  std::map<int, std::vector<double>> clusters;
  for (const PairedRound& r : rounds) {
    if (!std::isnan(r.*value)) clusters[r.cluster].push_back(r.*value);
  }
  std::vector<double> means;
  for (const auto& [cluster, values] : clusters) {
    means.push_back(std::accumulate(values.begin(), values.end(), 0.0) /
                    static_cast<double>(values.size()));
  }
  return means;
}

// A fifth of many values at each end, as is usual where tails are heavy (Wilcox 2012, Introduction
// to Robust Estimation and Hypothesis Testing, 3rd ed., section 3.3): up to four disturbed rounds
// of 20 widen nothing. Of fewer values a tenth, because every value cut costs degrees of freedom.
TrimmedMean middle_of(const std::vector<double>& means) {
  return trimmed_mean(means, means.size() >= kManyValues ? 0.2 : 0.1);
}

// The prior's variance is of one cluster, the mean is over all.
double half_of(const MiddleOfClusters& m, double alpha, const VariancePrior& prior) {
  const double own = m.mean.standard_error * m.mean.standard_error, own_df = m.mean.df;
  const double df = own_df + prior.df;
  const double of_mean = prior.variance / static_cast<double>(m.clusters);
  return t_quantile(1 - alpha / 2, df) * std::sqrt((own_df * own + prior.df * of_mean) / df);
}

LogInterval interval_of(const std::optional<MiddleOfClusters>& m, double alpha,
                        const VariancePrior& prior) {
  if (!m) return {};
  const double half = half_of(*m, alpha, prior);
  return {m->mean.mean, m->mean.mean - half, m->mean.mean + half};
}

// Do the values that are farther away than `far` lie on one side, more than chance brings them?
bool is_lopsided(const std::vector<double>& values, double far) {
  const auto count = [&](double sign) {
    return static_cast<size_t>(
        std::count_if(values.begin(), values.end(), [&](double v) { return sign * v > far; }));
  };
  const size_t above = count(1), below = count(-1);
  if (values.size() < kManyValues) return above != below;
  return above != below && sign_test(std::max(above, below), above + below) <= kLopsided;
}

// Each round is a process of its own: clusters don't matter here.
bool is_lopsided(std::span<const PairedRound> rounds, const GatePolicy& policy) {
  constexpr double kFarSd = 3;
  std::vector<double> values;
  for (const PairedRound& r : rounds) values.push_back(r.log_ratio);
  return is_lopsided(values, std::max(std::log1p(2 * policy.same), kFarSd * scaled_mad(values)));
}

LogInterval quickest_firsts(std::span<const PairedRound> rounds, double alpha,
                            const GatePolicy& policy) {
  std::vector<double> base, head, apart;
  for (const PairedRound& r : rounds) {
    if (std::isnan(r.log_first) || std::isnan(r.log_base_first)) continue;
    base.push_back(r.log_base_first);
    head.push_back(r.log_base_first + r.log_first);
    apart.push_back(r.log_first);
  }
  if (base.empty() || is_lopsided(apart, std::log1p(policy.first_same))) return {};
  return precedence_interval(std::move(base), std::move(head), alpha);
}

}  // namespace

bool LogInterval::above(double relative) const { return lo > std::log1p(relative); }
bool LogInterval::below(double relative) const { return hi < -std::log1p(relative); }
bool LogInterval::within(double relative) const {
  return lo > -std::log1p(relative) && hi < std::log1p(relative);
}
RatioInterval LogInterval::ratios() const { return {std::exp(middle), std::exp(lo), std::exp(hi)}; }

double sign_test(size_t k, size_t n) {
  double p = 0, ways = 1;  // of choosing i of n
  for (size_t i = 0; i <= n; ++i) {
    if (i >= k) p += ways;
    ways = ways * static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return p / std::exp2(static_cast<double>(n));
}

std::optional<MiddleOfClusters> middle_of_clusters(std::span<const PairedRound> rounds,
                                                   Statistic statistic) {
  const std::vector<double> means = cluster_means(rounds, statistic);
  if (means.size() < kFewestClusters) return std::nullopt;
  return MiddleOfClusters{middle_of(means), means.size()};
}

Looked look_at(std::span<const PairedRound> rounds, double alpha, const GatePolicy& policy,
               const VariancePrior& prior) {
  Looked looked;
  for (const Statistic statistic : kStatistics) {
    const bool fastest = statistic == Statistic::kFastest;
    looked.intervals.at(static_cast<size_t>(statistic)) = interval_of(
        middle_of_clusters(rounds, statistic), alpha, fastest ? prior : VariancePrior{});
  }
  const std::vector<double> fastest = cluster_means(rounds, Statistic::kFastest);
  if (!fastest.empty()) looked.sd = standard_deviation(fastest);
  looked.lopsided = is_lopsided(rounds, policy);
  if (policy.quickest_firsts) {
    looked.quickest_firsts = quickest_firsts(rounds, alpha, policy);
    const double unlikely = rounds.size() < kManyValues ? kUnlikely : alpha;
    looked.firsts_moved = p_value(rounds, Statistic::kFirst, 0) < unlikely;
  }
  return looked;
}

double half_width(std::span<const PairedRound> rounds, double alpha, const VariancePrior& prior) {
  return interval_of(middle_of_clusters(rounds, Statistic::kFastest), alpha, prior).half();
}

double p_value(std::span<const PairedRound> rounds, Statistic statistic, double worth) {
  const std::optional<MiddleOfClusters> m = middle_of_clusters(rounds, statistic);
  if (!m) return 1;
  const double beyond = std::abs(m->mean.mean) - std::log1p(worth);
  if (beyond <= 0) return 1;
  if (m->mean.standard_error == 0) return 0;
  return std::min(1.0, 2 * (1 - t_cdf(beyond / m->mean.standard_error, m->mean.df)));
}

}  // namespace nsop::stats
