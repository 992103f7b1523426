// The search for the commit that changed one row, by comparisons with the good commit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/nightly/bisect.h"
#include "harness/judge/nightly/follow_up.h"

namespace nsop::judge {

// What changed between two commits.
struct Change {
  SuspectKind kind = SuspectKind::kStep;
  GateRowResult result;  // of the comparison that found it
};

// The row's result. Throws Error (inconclusive) for a void session, or when it was not measured.
const GateRowResult& result_in(const GateResult& gate, const RowKey& row);

// Throws Error (inconclusive) unless there is a change to search for; `good` and `bad` are named in
// it. As result_in() beside.
Change change_between(const GateResult& gate, const RowKey& row, const std::string& good,
                      const std::string& bad);

// One commit of a search.
struct SearchStep {
  std::string commit;
  Side side = Side::kUnknown;
  const GateRowResult* result = nullptr;  // nullptr: the session was void, or there was none
  std::string why;                        // of nullptr
};

// Searches the line of commits, oldest first, whose first one is good and whose last one has the
// change. A commit that fails to build or to be measured is unknown, one of a void session open.
Culprit search_change(const std::vector<std::string>& line, const RowKey& row, const Change& change,
                      Lab& lab, const std::function<void(const SearchStep&)>& told);

// What `git bisect run` is told of one commit against the good one: kOk good, kFailed bad, 125 for
// what can't be judged.
constexpr auto kCantJudge = static_cast<ExitCode>(125);
ExitCode exit_of_step(const GateRowResult& result);

}  // namespace nsop::judge
