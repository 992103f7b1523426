// Slow creep: many changes, each too small to be a step, that add up. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "harness/stats/history/change_points.h"

namespace nsop::stats {

struct CreepPolicy {
  double least = 0.05;  // relative change between two levels that is worth a suspicion
  size_t window = 8;    // points whose median is a level
};

struct Creep {
  size_t since = 0;  // the point that the newest level is compared with: the last of its window
  double ratio = 1;  // newest level / that level
};

// The newest level (the median of the last `window` points) against the lowest level from point
// `first` on. Only points of the newest segment count, and only windows that don't overlap the
// newest one. Nothing when there are too few, or when the newest is not `least` above. Values must
// be positive (assert).
std::optional<Creep> creep_since_best(const std::vector<HistoryPoint>& history, size_t first,
                                      const CreepPolicy& policy);

// The newest level against the level around point `at` (a release); nothing when that is of another
// segment, too near, or not `least` below.
std::optional<Creep> creep_since(const std::vector<HistoryPoint>& history, size_t at,
                                 const CreepPolicy& policy);

}  // namespace nsop::stats
