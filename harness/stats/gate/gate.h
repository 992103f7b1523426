// The sequential decision of a gate: has one row changed between two builds that were measured in
// one session, alternately? Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/stats/comparison.h"

namespace nsop::stats {

// What one round says of one row. Rounds of one cluster (a link order of the builds) share its
// offset and count as one observation.
struct PairedRound {
  double log_ratio = 0;  // ln(head / base)
  int cluster = 0;
};

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
  // Alphas add up, whatever the data: by Bonferroni's inequality the probability of a wrong verdict
  // over all looks is at most their sum.
  std::vector<Look> looks = {{6, 0.002}, {10, 0.004}, {20, 0.01}};
  // Looks beyond, for rows that a budget gives more rounds.
  std::vector<Look> further = {{40, 0.002}, {80, 0.002}, {160, 0.002}};
  // Times the alpha of each look that a second session spends; 1 where the two may share an error.
  double confirming = 5;
};

// The policy of a second session, which only asks again what the first has found: for a wrong
// finding both must err, independently and in the same direction, so their probabilities multiply.
GatePolicy confirming(GatePolicy policy);

// Do the sessions err independently, so that p-values of both multiply?
bool sessions_multiply(const GatePolicy& policy);

// The sum of what all looks may spend on one row.
double total_alpha(const GatePolicy& policy);

struct GateDecision {
  Verdict verdict = Verdict::kInconclusive;
  int rounds = 0;         // that the decision was made after: those of a look
  double ratio = 1;       // head / base
  double lo = 0, hi = 0;  // of the interval at that look; 0 and infinity: too few values
  double alpha = 0;       // spent up to that look
  double sd = 0;          // of the clusters' mean log ratios: the row's noise in this session
  // What `same` could have seen; what `inconclusive` would take, by the next look's confidence.
  std::string note;
};

// Decides at the first look that allows it, so a verdict never changes when rounds are added.
// The interval is the t interval of the trimmed mean of the clusters' means (Tukey & McLaughlin
// 1963, Sankhya A 25(3)): a tenth is cut off at each end, from 20 clusters on a fifth. Fewer than
// six clusters are inconclusive.
GateDecision decide_gate(std::span<const PairedRound> rounds, const GatePolicy& policy);

// Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x: which of the p-values are
// discoveries at false-discovery rate `q`.
std::vector<bool> discoveries(const std::vector<double>& p_values, double q);

// Two-sided p-value of "the change is at most `worth`": from the same statistic over all rounds. 1
// when fewer than six clusters.
double gate_p_value(std::span<const PairedRound> rounds, double worth);

}  // namespace nsop::stats
