// Where sharing work out to several threads begins to pay: what a report of the form `threads`
// finds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/base/table.h"

namespace nsop::report {

// One case on one thread and on several.
struct SharedCase {
  const CaseRow* one = nullptr;
  const CaseRow* several = nullptr;
  // nullptr: not measured.
  const stats::RowSummary* alone = nullptr;   // the suite's `before` on one thread
  const stats::RowSummary* shared = nullptr;  // its `after`, which always forks, on several
  double work = 0;                            // in the unit of its threshold; 0: unknown
};

// The cases of one name (`ReLU Forward`) by ascending work.
struct SharedSeries {
  std::string label;
  std::vector<SharedCase> cases;
  std::optional<double> crossing;  // work from which on several threads win; nullopt: nowhere
  double measured_to = 0;          // the largest work that was compared; 0: nothing was
};

struct FoundThreshold {
  const ThresholdSpec* spec = nullptr;
  int threads = 0;  // the most that its cases were measured with
  std::vector<SharedSeries> series;
  // The largest crossing of its series over the threads, rounded up. A series that wins nowhere
  // counts as twice what it was measured to. nullopt when a series compares nothing.
  std::optional<int64_t> per_thread;
};

// What a case has of `unit`: the product of its key n or in, or its multiply-adds; 0: unknown.
double work_of(const Context& context, const std::string& case_text, const std::string& unit);

// The thresholds of the suite, in its order. The rule: stats::first_lasting_win of each series.
std::vector<FoundThreshold> find_thresholds(const Context& context);

// The report's field `thresholds`, what tools/thresholds.py makes the kernels' header of.
Json thresholds_json(const std::vector<FoundThreshold>& found);

// From which work per thread on threads pay, by kernel; empty where nothing was measured.
std::string thresholds_headline(const Context& context);

// The section `Thresholds`.
Json thresholds_section(const std::vector<FoundThreshold>& found);

}  // namespace nsop::report
