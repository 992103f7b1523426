#include "harness/stats/gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "harness/stats/base/distributions.h"
#include "harness/stats/base/robust.h"

namespace nsop::stats {
namespace {

constexpr size_t kManyValues = 20;
constexpr double kMostAlpha = 0.5;    // of a look, however often its alpha is taken
constexpr double kMostRounds = 1000;  // numbers beyond that are not worth naming

std::vector<double> cluster_means(std::span<const PairedRound> rounds) {
  std::map<int, std::vector<double>> clusters;
  for (const PairedRound& r : rounds) clusters[r.cluster].push_back(r.log_ratio);
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

std::string percent_tenths(double log_change) {
  return fmt::format("{:.1f} %", std::ceil(1000 * std::expm1(log_change) - 1e-6) / 10);
}

std::vector<Look> all_looks(const GatePolicy& policy) {
  std::vector<Look> looks = policy.looks;
  looks.insert(looks.end(), policy.further.begin(), policy.further.end());
  return looks;
}

double half_width(const TrimmedMean& m, double alpha) {
  return t_quantile(1 - alpha / 2, m.df) * m.standard_error;
}

// Rounds after which an interval around the same mean, with the same spread, would decide: one of
// the next look, whose confidence may be higher.
std::string what_it_takes(const TrimmedMean& m, const Look& look, const GatePolicy& policy) {
  const std::vector<Look> looks = all_looks(policy);
  const auto next = std::find_if(looks.begin(), looks.end(),
                                 [&](const Look& one) { return one.rounds > look.rounds; });
  const double size = std::abs(m.mean);
  const double to_same = std::log1p(policy.same) - size;
  const double to_worth = size - std::log1p(policy.worth);
  const double gap = std::max(to_same, to_worth);
  const double width = half_width(m, next == looks.end() ? look.alpha : next->alpha) / gap;
  const double needed =
      gap > 0 ? look.rounds * width * width : std::numeric_limits<double>::infinity();
  const std::string now =
      fmt::format("interval +/-{}: ", percent_tenths(half_width(m, look.alpha)));
  if (needed <= looks.back().rounds) {
    return now + fmt::format("needs about {:.0f} rounds", std::ceil(needed));
  }
  const std::string about =
      needed > kMostRounds ? "" : fmt::format(" (about {:.0f})", std::ceil(needed));
  return now + fmt::format("more than {} rounds would be needed{}", looks.back().rounds, about);
}

// What a look at these values says.
void look_at(const std::vector<double>& means, const Look& look, const GatePolicy& policy,
             GateDecision& d) {
  const TrimmedMean m = middle_of(means);
  const double half = half_width(m, look.alpha);
  const double lo = m.mean - half, hi = m.mean + half;
  const double worth = std::log1p(policy.worth), same = std::log1p(policy.same);
  d.rounds = look.rounds;
  d.ratio = std::exp(m.mean);
  d.lo = std::exp(lo);
  d.hi = std::exp(hi);
  d.sd = standard_deviation(means);
  d.note.clear();
  if (lo > worth) {
    d.verdict = Verdict::kWorse;
  } else if (hi < -worth) {
    d.verdict = Verdict::kBetter;
  } else if (lo > -same && hi < same) {
    d.verdict = Verdict::kSame;
    d.note = "no change >= " + percent_tenths(std::max(std::abs(lo), std::abs(hi)));
  } else {
    d.note = what_it_takes(m, look, policy);
  }
}

}  // namespace

GatePolicy confirming(GatePolicy policy) {
  for (auto* looks : {&policy.looks, &policy.further}) {
    for (Look& look : *looks) look.alpha = std::min(policy.confirming * look.alpha, kMostAlpha);
  }
  return policy;
}

bool sessions_multiply(const GatePolicy& policy) { return policy.confirming > 1; }

double total_alpha(const GatePolicy& policy) {
  double alpha = 0;
  for (const Look& look : all_looks(policy)) alpha += look.alpha;
  return alpha;
}

GateDecision decide_gate(std::span<const PairedRound> rounds, const GatePolicy& policy) {
  GateDecision d;
  d.hi = std::numeric_limits<double>::infinity();
  d.note = "too few rounds";
  for (const Look& look : all_looks(policy)) {
    if (rounds.size() < static_cast<size_t>(look.rounds)) return d;
    d.alpha += look.alpha;
    const std::vector<double> means = cluster_means(rounds.first(static_cast<size_t>(look.rounds)));
    if (means.size() < kFewestClusters) continue;
    look_at(means, look, policy, d);
    if (d.verdict != Verdict::kInconclusive) break;
  }
  return d;
}

double gate_p_value(std::span<const PairedRound> rounds, double worth) {
  const std::vector<double> means = cluster_means(rounds);
  if (means.size() < kFewestClusters) return 1;
  const TrimmedMean m = middle_of(means);
  const double beyond = std::abs(m.mean) - std::log1p(worth);
  if (beyond <= 0) return 1;
  if (m.standard_error == 0) return 0;
  return std::min(1.0, 2 * (1 - t_cdf(beyond / m.standard_error, m.df)));
}

std::vector<bool> discoveries(const std::vector<double>& p_values, double q) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  size_t last = 0;  // how many of the smallest are discoveries
  const double count = static_cast<double>(p_values.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (p_values[order[i]] <= q * static_cast<double>(i + 1) / count) last = i + 1;
  }
  std::vector<bool> found(p_values.size(), false);
  for (size_t i = 0; i < last; ++i) found[order[i]] = true;
  return found;
}

}  // namespace nsop::stats
