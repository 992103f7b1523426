// A suite file is a published report, on one page: which cases it shows, and how.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/case.h"
#include "harness/core/suite/goal.h"
#include "harness/core/suite/selector.h"

namespace nsop {

// One [[cases]] table.
struct SuiteCase {
  std::string label;      // the row's name, e.g. `Conv2D`
  std::string operation;  // `Forward`, `Backward`, ...
  std::string section;    // heading of the table it belongs to; empty: the report's only table
  std::vector<std::string> tags;
  std::string line;  // the case line, possibly with sweeps
  std::vector<int> threads = {1};
  std::vector<Selector> variants;  // measured in place of [report]'s; empty: none
  std::vector<Selector> without;   // variants and peers of [report] that this case leaves out
  std::string relative_to;  // label of the row (same operation) that this one is shown against
  std::string note;         // printed under the table
  // Why ours does less work here than others do, who take the case as it stands: such a row is in
  // no mean. Empty: it is an ordinary one.
  std::string shortcut;
  std::string where;  // `file:line` of `case`
};

// One [[thresholds]] table: a constant of the kernels that a suite of the form `threads`
// measures, the least work per thread that is worth sharing out.
struct ThresholdSpec {
  std::string name;             // of the constant: `kFunctionElements`
  std::string unit;             // of the work: `elements` (of key n or in) or `macs`
  std::string about;            // one sentence: which kernels it is for
  std::vector<std::string> on;  // patterns of case_matches: the cases that decide it
  std::string where;            // `file:line`
};

struct Suite {
  std::string path;
  std::string name;  // file name of its report
  std::string title;
  std::string about;                  // one paragraph under the title
  std::string form;                   // form of the report: `nsop list forms`
  Selector before, after;             // before: without a variant where a form may leave it out
  std::vector<Selector> also;         // further variants measured and shown, in rows of their own
  std::vector<Selector> beside;       // the same in columns, where the op of a case has them
  std::vector<std::string> targets;   // sweep: pinned targets of `after`, one column each
  std::vector<std::string> peers;     // variants of other libraries measured beside: `numpy`
  std::vector<std::string> releases;  // tracking: runs by name; empty: releases, baselines
  std::vector<std::string> profiles;  // whose runs take it in without being told; empty: all
  // Rows whose invocations differ by more (relative SD, per cent) are measured again.
  std::optional<double> most_sd_percent;
  std::vector<SuiteCase> cases;
  std::vector<Goal> goals;
  std::vector<Reason> reasons;  // why rows miss goals
  std::vector<ThresholdSpec> thresholds;
};

// Does a run of this profile take the suite in when nobody names it?
bool is_of_profile(const Suite& suite, const std::string& profile);

// A form that a report can have. Which there are is for the reports to say: readers hand them in.
struct SuiteForm {
  std::string name;          // the suite's `form`
  bool needs_before = true;  // must the suite name a variant `before`?
};
// Empty: any name is taken and none needs a `before`, for those who read a suite's cases alone.
using SuiteForms = std::vector<SuiteForm>;

// Their names in one text: `a, b or c`.
std::string one_of(const SuiteForms& forms);

// Throws Error (usage) with `file:line: ...`: not TOML, unknown key, missing key, wrong type, a
// form that isn't one of `forms`.
Suite load_suite(const std::string& path, const SuiteForms& forms);
Suite parse_suite(const std::string& text, const std::string& path, const SuiteForms& forms);

// All combinations of a case line with comma sweeps, the last key varying fastest, by text only:
// without an op's specification.
std::vector<std::string> expand_line(std::string_view line);

// All *.toml of a folder, sorted by name.
std::vector<Suite> load_suites(const std::string& folder, const SuiteForms& forms);

}  // namespace nsop
