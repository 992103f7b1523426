// Where the level of a history changes: pure functions, no I/O, no randomness.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/text.h"

namespace nsop::stats {

// One value of a history, in order: a night's result of one row on one host.
struct HistoryPoint {
  double value = 0;    // positive, e.g. ns/op
  SharedText segment;  // host and toolchain: another one re-bases the level, it is no change
};

struct ChangePolicy {
  double least = 0.02;  // smallest change of ln(value) worth a change point
  double z = 3.3;       // half width of the levels' interval in standard errors: 99.9 %
  size_t shortest = 4;  // points of a level
  size_t hold = 20;     // points that a level must last if an earlier level was the same
  size_t fewest = 12;   // points of a history that is looked at at all
};

// Of the mean repetition over the fastest, and of the first operation of a process: how busy the
// machine is shows in them, so that a level must change by more.
constexpr ChangePolicy kExcessChanges{.least = 0.05};
constexpr ChangePolicy kFirstChanges{.least = 0.25};

struct ChangePoint {
  size_t index = 0;       // first point of the new level
  double ratio = 1;       // new level / old level
  double lo = 1, hi = 1;  // its interval
};

// The change points of a history.
//
// ln(value) is fitted by a piecewise constant function that minimises a biweight loss, which a wild
// value can't buy a level of its own with, plus 3 s^2 ln(n) per change, by dynamic programming over
// a grid of levels (Fearnhead & Rigaill 2019, Changepoint detection in the presence of outliers,
// doi:10.1080/01621459.2017.1385466). The noise s comes from first differences. Changes are then
// dropped, weakest first, until each one's interval, widened for serial correlation, clears half of
// `least`; a level that was there before must last `hold` points, because a machine with two modes
// goes back and forth. That does not hold for a step of the size of one that measurements of both
// builds confirmed, in `confirmed`: points where such changes are, a few points off. It is
// repaired, or comes again. O(n * grid); the same for the same input.
std::vector<ChangePoint> change_points(const std::vector<HistoryPoint>& history,
                                       const ChangePolicy& policy,
                                       const std::vector<size_t>& confirmed = {});

// Which change points are told. A change that only the newest looks show is often gone in the next;
// one that is first shown when it is many points old was noise when it was new. The figures were
// chosen on drawn histories.
struct TellPolicy {
  double z_of_one = 7;    // clears half of `least` by so many standard errors: one look is enough
  double z_of_two = 3.7;  // by so many: two looks in a row; by fewer: three
  size_t near = 5;        // points by which two looks may put one change apart
  size_t late = 8;        // points since the change from which on it takes a look more
  size_t oldest = 30;     // points since the change
};

// The change points that as many looks in a row show as their size asks for, the last of them at
// the whole history, each of the others at one point less: in the same direction and `near` the
// same place. At most `oldest` points old. Up to four times the work of change_points().
std::vector<ChangePoint> told_changes(const std::vector<HistoryPoint>& history,
                                      const ChangePolicy& policy,
                                      const std::vector<size_t>& confirmed = {},
                                      const TellPolicy& tell = {});

// The newest point against the median of the dozen before it (of the same level where a segment
// begins among them), if it is so far away that it is worth measuring again in the same night: by
// more than 4 s and by 3 %. Nothing while the newest segment has fewer than four points: it has no
// level yet.
std::optional<double> trip_ratio(const std::vector<HistoryPoint>& history);
bool trips(const std::vector<HistoryPoint>& history);

}  // namespace nsop::stats
