#include "harness/stats/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/stats/base/distributions.h"
#include "harness/stats/base/robust.h"
#include "harness/stats/decide.h"

namespace nsop::stats {
namespace {

constexpr int kFewestRounds = 6;
constexpr double kTrimmedShare = 0.1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Comparison refuse(Verdict verdict, const std::string& note, double margin) {
  Comparison c;
  c.verdict = verdict;
  c.note = note;
  c.margin = margin;
  return c;
}

Comparison too_few(const RowSummary& before, const RowSummary& after, double margin,
                   const std::string& note) {
  Comparison c = refuse(Verdict::kInconclusive, note, margin);
  c.ratio = after.verdict_ns / before.verdict_ns;
  c.lo = 0;
  c.hi = kInfinity;
  return c;
}

// Why a side has no time to compare; empty when both have one.
std::string no_time(const RowSummary& before, const RowSummary& after) {
  for (const auto& [side, name] : {std::pair{&before, "before"}, std::pair{&after, "after"}}) {
    if (side->status != Status::kOk) {
      return fmt::format("{} is {}{}{}", name, status_text(side->status),
                         side->reason.empty() ? "" : ": ", side->reason);
    }
    if (side->verdict_values.empty() || !(side->verdict_ns > 0)) {
      return fmt::format("{} has no time", name);
    }
  }
  return {};
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  return logs;
}

// Two-sided: half of what the confidence leaves lies above.
double upper_probability(const Policy& policy) { return 0.5 + policy.confidence / 2; }

// Half width that the values of one side contribute.
double sampling_half(const RowSummary& side, const Policy& policy) {
  const std::vector<double> logs = logs_of(side.verdict_values);
  return t_quantile(upper_probability(policy), static_cast<double>(logs.size() - 1)) *
         median_standard_error(logs);
}

// ln(after / before) of every round that both sides have; the mean where a side has several values.
std::vector<double> round_ratios(const RowSummary& before, const RowSummary& after) {
  struct Sums {
    double before = 0, after = 0;
    int n_before = 0, n_after = 0;
  };
  std::map<int, Sums> rounds;
  for (size_t i = 0; i < before.verdict_values.size(); ++i) {
    Sums& sums = rounds[before.verdict_rounds[i]];
    sums.before += std::log(before.verdict_values[i]);
    ++sums.n_before;
  }
  for (size_t i = 0; i < after.verdict_values.size(); ++i) {
    Sums& sums = rounds[after.verdict_rounds[i]];
    sums.after += std::log(after.verdict_values[i]);
    ++sums.n_after;
  }
  std::vector<double> ratios;
  for (const auto& [round, s] : rounds) {
    if (s.n_before > 0 && s.n_after > 0) {
      ratios.push_back(s.after / s.n_after - s.before / s.n_before);
    }
  }
  return ratios;
}

}  // namespace

std::string verdict_text(Verdict verdict) {
  constexpr std::array<const char*, 7> kNames = {"better", "same",    "worse",       "inconclusive",
                                                 "new",    "missing", "incomparable"};
  return kNames.at(static_cast<size_t>(verdict));
}

double margin_of(Bound bound, const Policy& policy) {
  switch (bound) {
    case Bound::kCore:
      return policy.floor_core;
    case Bound::kCache:
      return policy.floor_cache;
    case Bound::kDram:
      break;
  }
  return policy.floor_dram;
}

Comparison compare_paired(const RowSummary& before, const RowSummary& after, Bound bound,
                          const Policy& policy) {
  const double margin = margin_of(bound, policy);
  const std::string reason = no_time(before, after);
  if (!reason.empty()) return refuse(Verdict::kIncomparable, reason, margin);
  const std::vector<double> ratios = round_ratios(before, after);
  const int rounds = static_cast<int>(ratios.size());
  Comparison c;
  if (rounds < 2) {
    c = too_few(before, after, margin, "");
  } else {
    const TrimmedMean mean = trimmed_mean(ratios, kTrimmedShare);
    Estimate e{.log_ratio = mean.mean, .count = rounds};
    e.sampling = t_quantile(upper_probability(policy), mean.df) * mean.standard_error;
    c = decide(e, margin, 0, {"round", "rounds"});
  }
  c.paired = true;
  c.pairs = rounds;
  if (rounds < kFewestRounds) {
    c.verdict = Verdict::kInconclusive;
    c.note = fmt::format("{} shared rounds, at least {} are needed", rounds, kFewestRounds);
  }
  return c;
}

// The sides' half widths are joined by Banerjee's method, each with its own t quantile: it covers
// at least as often as promised, and the interval never narrows when tau grows (as Welch's can).
// Source: S. K. Banerjee, Approximate confidence interval for linear functions of means of k
// populations when the population variances are not equal, Sankhya 22 (1960) 357-358.
Comparison compare_unpaired(const RowSummary& before, const RowSummary& after, Bound bound,
                            const Policy& policy) {
  const double margin = margin_of(bound, policy);
  const std::string reason = no_time(before, after);
  if (!reason.empty()) return refuse(Verdict::kIncomparable, reason, margin);
  const size_t fewest = std::min(before.verdict_values.size(), after.verdict_values.size());
  if (fewest < 2) {
    return too_few(before, after, margin, "needs at least 2 invocations on each side");
  }
  Estimate e{.log_ratio = std::log(after.verdict_ns / before.verdict_ns),
             .count = static_cast<int>(fewest)};
  e.sampling = std::hypot(sampling_half(before, policy), sampling_half(after, policy));
  const double p = upper_probability(policy);
  const double quantile = policy.tau_df > 0 ? t_quantile(p, policy.tau_df) : normal_quantile(p);
  e.between_run = quantile * policy.tau * std::numbers::sqrt2;
  return decide(e, margin, policy.tau, {"invocation on each side", "invocations on each side"});
}

Comparison compare_exact(double before, double after) {
  Comparison c;
  c.ratio = before == after ? 1 : before == 0 ? kInfinity : after / before;
  c.lo = c.hi = c.ratio;
  c.verdict = after == before  ? Verdict::kSame
              : after < before ? Verdict::kBetter
                               : Verdict::kWorse;
  return c;
}

}  // namespace nsop::stats
