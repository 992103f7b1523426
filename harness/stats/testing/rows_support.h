// Row summaries for tests.
#pragma once

#include <utility>
#include <vector>

#include "harness/stats/base/robust.h"
#include "harness/stats/summary.h"

namespace nsop::stats {

// An ok row with one value per round, 0 1 2 ...
inline RowSummary row_of(std::vector<double> values) {
  RowSummary row;
  row.row = {"relu pass=forward n=1000 range=-3:3", "hwy", "AVX2", 1};
  row.invocations = static_cast<int>(values.size());
  row.verdict_ns = row.wall_ns = median(values);
  for (int i = 0; i < row.invocations; ++i) row.verdict_rounds.push_back(i);
  row.verdict_values = row.wall_values = std::move(values);
  return row;
}

inline RowSummary scaled(RowSummary row, double factor) {
  for (double& v : row.verdict_values) v *= factor;
  for (double& v : row.wall_values) v *= factor;
  row.verdict_ns = median(row.verdict_values);
  row.wall_ns = median(row.wall_values);
  return row;
}

}  // namespace nsop::stats
