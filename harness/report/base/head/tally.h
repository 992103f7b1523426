// How the rows of ours ended against what they are compared with: what the head counts and what the
// section of slower rows shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/base/context.h"

namespace nsop::report {

// A row of ours beside what it is compared with.
struct Judged {
  const CaseRow* row = nullptr;
  const stats::RowSummary* ours = nullptr;
  const stats::RowSummary* other = nullptr;
  stats::Comparison compared;
};

struct Tally {
  std::map<stats::Verdict, int> verdicts;
  int rows = 0;      // without shortcuts
  int unjudged = 0;  // a peer that was missing, wrong or failed might have been faster
  int cannot = 0;    // one side can't do it
  int without = 0;   // one side failed or was not measured
  int shortcuts = 0;
  std::vector<MissingPeer> missing;  // of every row
  std::vector<Judged> judged;

  int count(stats::Verdict verdict) const {
    const auto at = verdicts.find(verdict);
    return at == verdicts.end() ? 0 : at->second;
  }
};

// Of each case and number of threads once; without those that the suite compares with nothing.
Tally tally_of(const Context& context);

// The missing peers, of a wrong or failed one with the number of its rows: `onednn wrong in 2
// rows`.
std::string missing_text_of(const Tally& tally);

// `another library`, or what the suite has in the place of one.
std::string rival_text(const Context& context);

// Why no row was judged: `eigen missing (make peers); 2 rows without a time`.
std::string why_none_judged(const Tally& tally);

}  // namespace nsop::report
