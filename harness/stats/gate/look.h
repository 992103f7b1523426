// One look of a gate at the rounds of a row: what each statistic says of the change. Pure
// functions.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/base/robust.h"
#include "harness/stats/gate/gate.h"

namespace nsop::stats {

// ln(head / base) of one statistic, with its interval; unbounded where too few values have one.
struct LogInterval {
  double middle = 0;
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();

  bool above(double relative) const;   // all of it is above a relative change
  bool below(double relative) const;   // all of it is below its inverse
  bool within(double relative) const;  // all of it lies between the two
  bool is_known() const { return lo > -std::numeric_limits<double>::infinity(); }
  double half() const { return (hi - lo) / 2; }
  RatioInterval ratios() const;
};

// The trimmed mean over the clusters of the rounds that have the statistic; nullopt: fewer than
// six.
struct MiddleOfClusters {
  TrimmedMean mean;
  size_t clusters = 0;
};
std::optional<MiddleOfClusters> middle_of_clusters(std::span<const PairedRound> rounds,
                                                   Statistic statistic);

struct Looked {
  std::array<LogInterval, kStatistics.size()> intervals;  // in the order of kStatistics
  double sd = 0;                                          // of the clusters' means of the fastest
  bool lopsided = false;  // rounds far from the middle lie on one side: see decide_gate()
  // Of the quickest first operations (precedence.h), where those that are farther apart than
  // `first_same` lie on both sides.
  LogInterval quickest_firsts;
  // No change at all of first operations is unlikely: the margin of `same` is so wide that a change
  // may lie within it for all that is known.
  bool firsts_moved = false;

  const LogInterval& of(Statistic statistic) const {
    return intervals.at(static_cast<size_t>(statistic));
  }
};

// Of statistics that fewer than six clusters have, the intervals are unbounded.
Looked look_at(std::span<const PairedRound> rounds, double alpha, const GatePolicy& policy,
               const VariancePrior& prior = {});

// Half of the interval that a look takes at the same values with another alpha.
double half_width(std::span<const PairedRound> rounds, double alpha,
                  const VariancePrior& prior = {});

// Two-sided p-value of "the change of this statistic is at most `worth`" (relative); 1 when fewer
// than six clusters have one.
double p_value(std::span<const PairedRound> rounds, Statistic statistic, double worth);

// P(at least k of n) where each is as likely on either side (Dixon & Mood 1946,
// doi:10.1080/01621459.1946.10501898).
double sign_test(size_t k, size_t n);

}  // namespace nsop::stats
