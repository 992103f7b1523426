// The sequential decision of a gate: has one row changed between two builds that were measured in
// one session, alternately? Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/stats/comparison.h"

namespace nsop::stats {

// What one round says of one row. Rounds of one cluster (a link order of the builds) share its
// offset and count as one observation.
struct PairedRound {
  double log_ratio = 0;  // ln(head / base) of each side's fastest repetition
  int cluster = 0;
  // Head less base of ln(mean / fastest) of a side's repetitions: what the fastest one can't see.
  // NaN: a side has too few repetitions that were not interrupted.
  double log_excess = 0;
  // ln(head / base) of the first operation of each side's process, which repetitions come after.
  // NaN: a side's isn't known.
  double log_first = std::numeric_limits<double>::quiet_NaN();
  double log_base_first = std::numeric_limits<double>::quiet_NaN();  // ln of the base's alone, ns
};

// What a round is judged by.
enum class Statistic { kFastest, kExcess, kFirst };
constexpr std::array kStatistics = {Statistic::kFastest, Statistic::kExcess, Statistic::kFirst};

// Fewer clusters (rounds, where each is one) are never decided.
constexpr size_t kFewestClusters = 6;

// The data may be looked at after `rounds`, with an interval of confidence 1 - alpha.
struct Look {
  int rounds = 0;
  double alpha = 0;  // two-sided
};

// A change is judged against margins, not against zero: two builds of one source differ by their
// layout, which is real and means nothing.
struct GatePolicy {
  double worth = 0.01;  // relative change that the whole interval must exceed to be worse or better
  double same = 0.02;   // relative change that it must stay within, on both sides, to be the same
  // The same two margins of the mean repetition over the fastest, and of the first operation; 0:
  // that is not looked at, as by gates of before 2026-11-25.
  double excess_worth = 0.02, excess_same = 0.10;
  double first_worth = 0.25, first_same = 2;
  // `same` needs so many rounds, each a process of its own: of a head that is slow in half of its
  // processes, six are all fast in 1.6 % of the gates, ten in 0.1 %.
  int same_rounds = 10;
  // Alphas add up, whatever the data: by Bonferroni's inequality the probability of a wrong verdict
  // over all looks is at most their sum.
  std::vector<Look> looks = {{6, 0.002}, {10, 0.004}, {20, 0.01}};
  // Looks beyond, for rows that a budget gives more rounds.
  std::vector<Look> further = {{40, 0.002}, {80, 0.002}, {160, 0.002}};
  // Times the alpha of each look that a second session spends; 1 where the two may share an error.
  double confirming = 5;
  // How many degrees of freedom the other rows of a session may add to what a row's own rounds say
  // of its noise (moderation.h). 0: each row speaks for itself, as in gates of before 2026-11-28.
  double most_prior_df = 4;
  // May the quickest first operations of both sides say that these are the same, where something
  // delays those of many processes, and may a change that is all but certain not be within the
  // margin? False: as in gates of before 2026-11-28.
  bool quickest_firsts = true;
};

// The policy of a second session, which only asks again what the first has found: for a wrong
// finding both must err, independently and in the same direction, so their probabilities multiply.
GatePolicy confirming(GatePolicy policy);

// Do the sessions err independently, so that p-values of both multiply?
bool sessions_multiply(const GatePolicy& policy);

// Of a statistic: the relative change that the whole interval must exceed to be worse or better,
// and the one that it must stay within to be the same. 0: the statistic is not looked at.
struct Margins {
  double worth = 0, same = 0;
};
Margins margins_of(const GatePolicy& policy, Statistic statistic);
bool looks_at(const GatePolicy& policy, Statistic statistic);

// The ordinary looks, then those beyond.
std::vector<Look> all_looks(const GatePolicy& policy);

// The sum of what all looks at all statistics may spend on one row.
double total_alpha(const GatePolicy& policy);

// head / base with the interval of a look; lo 0 and hi infinity: too few values.
struct RatioInterval {
  double ratio = 1;
  double lo = 0, hi = std::numeric_limits<double>::infinity();
};

struct GateDecision {
  Verdict verdict = Verdict::kInconclusive;
  int rounds = 0;  // of the look after which the row was decided
  // Which statistic says that it is worse or better; the fastest repetition, unless only another
  // one does.
  Statistic by = Statistic::kFastest;
  std::array<RatioInterval, kStatistics.size()> intervals;  // of each, in the order of kStatistics
  double alpha = 0;                                         // spent up to that look
  double sd = 0;  // of the clusters' mean log ratios of the fastest: the row's noise

  const RatioInterval& of(Statistic statistic) const {
    return intervals.at(static_cast<size_t>(statistic));
  }
  // The change that is shown: of the statistic that the row was called by.
  const RatioInterval& change() const { return of(by); }
  // What `same` could have seen; what `inconclusive` would take, by the next look's confidence.
  std::string note;
};

// What the other rows of a session say of a row's noise: the variance of one cluster's mean log
// ratio of the fastest, and the degrees of freedom of that. 0: nothing.
struct VariancePrior {
  double df = 0, variance = 0;
};

// Decides at the first look that allows it, so a verdict never changes when rounds are added.
// The interval is the t interval of the trimmed mean of the clusters' means (Tukey & McLaughlin
// 1963, Sankhya A 25(3)): a tenth is cut off at each end, from 20 clusters on a fifth. Fewer than
// six clusters are inconclusive. `priors`: of each look of the policy in turn, what the variance of
// the fastest repetitions is moderated with (Smyth 2004, doi:10.2202/1544-6115.1027): the weighted
// mean of both, with the degrees of freedom of both. None, or fewer: the row speaks for itself.
//
// A row is worse or better if the interval of one statistic says so (fastest repetition, mean over
// the fastest, first operation) and no other interval contradicts. The same needs all intervals
// within their margins (of the first operation, where it is known), and rounds far from the middle
// on both sides alike: a process that is slow now and then is cut off by the trimmed mean, but lies
// on one side. First operations that are delayed in many processes of both sides alike are judged
// by the quickest ones (precedence.h). With fewer than 20 rounds there must be as many on one as on
// the other, then so many that a sign test (Dixon & Mood 1946, doi:10.1080/01621459.1946.10501898)
// has a one-sided p above 1/16.
GateDecision decide_gate(std::span<const PairedRound> rounds, const GatePolicy& policy,
                         std::span<const VariancePrior> priors = {});

// Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x: which of the p-values are
// discoveries at false-discovery rate `q`.
std::vector<bool> discoveries(const std::vector<double>& p_values, double q);

// Two-sided p-value of "the change is at most what is worth telling": from the same statistics over
// all rounds, the smallest times their number. 1 when fewer than six clusters.
double gate_p_value(std::span<const PairedRound> rounds, const GatePolicy& policy);

}  // namespace nsop::stats
