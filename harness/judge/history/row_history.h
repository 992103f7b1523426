// The histories of rows, and where their levels changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/nights.h"
#include "harness/judge/history/past.h"
#include "harness/stats/history/change_points.h"

namespace nsop::judge {

// A row's history with the places of its changes, as places in the line.
struct RowHistory {
  RowKey row;
  Line line;
  std::vector<std::string_view> left_out;  // why a point counts for nothing; empty: it counts
  std::vector<stats::ChangePoint> changes;
};

// Which rows are meant.
struct RowPattern {
  std::string cases;    // case or pattern
  std::string variant;  // `hwy` or `hwy@AVX2`; empty: all
  int threads = 0;      // 0: any
};

// The rows of the host that are meant and have a line, without their changes. Throws Error (usage)
// when there is none, with hosts that have one or a suggestion.
std::vector<RowHistory> histories_of(const Past& past, const RowPattern& pattern,
                                     const std::string& host_id);

// Marks what is no part of the line of commits that ends with the revision, or lies after `now`,
// says how many runs that are, and finds the changes among the points that are left. Returns the
// commit at the line's end, empty where nothing is followed because there is no git. Throws as
// commit_of() for an unknown revision but HEAD.
std::string follow_branch(const BuildPlace& place, const std::string& revision,
                          const std::string& now, std::vector<RowHistory>& rows,
                          const BuildNote& note);

}  // namespace nsop::judge
