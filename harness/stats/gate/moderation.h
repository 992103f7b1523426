// What the rows of a session say together of how noisy one of them is. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/stats/gate/gate.h"

namespace nsop::stats {

// How noisy a row was measured to be.
struct RowVariance {
  double variance = 0;  // of one cluster's mean log ratio of the fastest, winsorised
  double df = 0;        // that it was estimated with
};
// After these rounds; nullopt: fewer than six clusters.
std::optional<RowVariance> variance_of(std::span<const PairedRound> rounds);

// Fewer rows tell nothing of each other.
constexpr size_t kFewestRowsOfAPrior = 10;

// Where the variance of a row lies, and with how many degrees of freedom the rows together say so:
// the empirical Bayes estimate of Smyth 2004 (doi:10.2202/1544-6115.1027, section 6.2), at most
// `most_df`. Rows of the same noise say much of each other, rows of very different noise little.
// Rows that vary not at all are left out. Without degrees of freedom for too few rows, or where
// `most_df` is 0.
VariancePrior prior_of(const std::vector<RowVariance>& rows, double most_df);

// One for each look of the policy, from the rows' rounds until then.
std::vector<VariancePrior> priors_of(const std::vector<std::span<const PairedRound>>& rows,
                                     const GatePolicy& policy);

}  // namespace nsop::stats
