// The histories of a site's rows.
#pragma once

#include <map>
#include <string>

#include "harness/core/io/json.h"
#include "harness/judge/history/past.h"
#include "harness/judge/history/row_history.h"
#include "harness/report/site/cases.h"

namespace nsop::report {

// A row's history as the site draws it: its newest points, levels and changes, and a sentence about
// them. A change names the command that looks for its commit.
Json history_json(const judge::RowHistory& history);

// Reads the histories of rows, one after the other.
class Histories {
 public:
  // `place`: where the commits of the project are. Points that began after `newest` count for
  // nothing.
  Histories(const judge::Past& past, judge::BuildPlace place, std::string newest);
  // Null where no run counts.
  Json of(const SiteRow& row);
  // Rows that were asked for so far, and those with enough runs for changes to be looked for.
  size_t asked() const { return asked_; }
  size_t looked_at() const { return looked_at_; }

 private:
  const judge::Past& past_;
  judge::BuildPlace place_;
  std::string newest_;
  std::map<std::string, judge::FollowedBranch> branches_;  // by host
  size_t asked_ = 0, looked_at_ = 0;
};

}  // namespace nsop::report
