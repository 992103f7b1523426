// The histories of rows, and where their levels changed.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/commit_order.h"
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

// Hosts that have a row that is meant, by id.
std::vector<std::string> hosts_with(const Past& past, const RowPattern& pattern);

// Calls `use` with each row of the host that is meant and has a line, one after the other, without
// what is left out and changes: hundreds of runs of a thousand rows fill memory if they are all
// kept. Throws Error (usage) when there is none, with hosts that have one or a suggestion.
void each_history(const Past& past, const RowPattern& pattern, const std::string& host_id,
                  const std::function<void(RowHistory&&)>& use);

// The line of commits that histories follow, up to a point in time.
class FollowedBranch {
 public:
  // The line ends with the revision; `commits` are those that the histories name. Throws as
  // commit_of() for an unknown revision but HEAD.
  FollowedBranch(const BuildPlace& place, const std::string& revision, const std::string& now,
                 const std::set<std::string>& commits);
  // The commit at the line's end; empty where nothing is followed because there is no git.
  const std::string& head() const { return head_; }
  // Puts what was measured afterwards to its commit's place, marks what is no part of the line, or
  // lies after `now`, and finds the changes among the points
  // that are left.
  void follow(RowHistory& row);
  // How many runs of the rows so far are no part of the line, and why; empty: none.
  std::string left_out() const;

 private:
  std::string revision_, now_, head_;
  std::optional<CommitOrder> order_;
  std::set<std::string> runs_;  // that are no part of the line
};

}  // namespace nsop::judge
