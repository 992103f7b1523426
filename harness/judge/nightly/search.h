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
// change. A commit that fails to build or to be measured is unknown, one of a
// void session inconclusive.
Culprit search_change(const std::vector<std::string>& line, const RowKey& row, const Change& change,
                      Lab& lab, const std::function<void(const SearchStep&)>& told);

// kOk where one commit is the first bad one; kInconclusive where others, which could not be judged,
// may be it.
ExitCode exit_of(const Culprit& culprit);

// One commit against the good one: kOk for a good one, kFailed for a bad one, kInconclusive for one
// that can't be judged.
ExitCode exit_of_step(const GateRowResult& result);

// How `step` ends. What goes wrong in it says nothing of the commit: an Error or run::WorkerFailure
// that it throws becomes an Error (inconclusive), whatever code it would deserve elsewhere.
ExitCode judge_step(const std::function<ExitCode()>& step);

// The exit code by which `git bisect run` is told how a step ended. Git takes 125 for a commit that
// can't be judged, and every other code from 1 to 127 for a bad one: kOk and kFailed are verdicts
// and stay, all other ends judge nothing and become 125.
int code_for_git(ExitCode code);

}  // namespace nsop::judge
