// Synthetic suites and runs for the tests of this folder: invented numbers, no clock, no
// randomness.
#pragma once

#include <string>
#include <vector>

#include "harness/report/model.h"

namespace nsop::report {

AllocCounts allocs(double count, double bytes);  // per operation

// The cell of column `id` in a table of a report; throws std::runtime_error if there is none.
// The first table of the section that has such a column.
const Json& table_with(const Json& section, const std::string& id);

const Json& cell_of(const Json& table, size_t row, const std::string& id);

// A run that is put together row by row.
class FakeRun {
 public:
  explicit FakeRun(const std::string& id, const std::string& profile = "comprehensive");

  // `invocations` invocations of two repetitions around `ns` per operation, spread by about
  // `spread` (relative) in a fixed pattern.
  FakeRun& time(const RowKey& key, double ns, int invocations = 8, double spread = 0.01);
  FakeRun& count(const RowKey& key, const AllocCounts& counts);
  FakeRun& fail(const RowKey& key, Status status, const std::string& reason);
  FakeRun& warn(const std::string& warning);  // on the latest invocation
  FakeRun& chose(const std::string& what);    // on every invocation of the latest row
  // A metric of every timing invocation of the latest row, spread as times are.
  FakeRun& metric(const std::string& name, double value, double spread = 0.01);
  FakeRun& facts(const std::string& case_text, const CaseFacts& facts);

  RunData data() const;

  Run run;
  Host host;
  Build build;

 private:
  Invocation& add(const RowKey& key, int round);
  std::vector<Invocation> invocations_;
};

Suite before_after_suite();
FakeRun before_after_run();
FakeRun before_after_previous();

Suite sweep_suite();
FakeRun sweep_run();

Suite matched_suite();
FakeRun matched_run();

// Rows of the limits suite: 100 GFLOP/s; copying 200, 100, 80 and 20 GB/s in L1, L2, L3 and DRAM.
FakeRun& add_limits(FakeRun& fake);
Suite limits_suite();
FakeRun limits_run();

// Two series that decide a threshold from 8192 elements on, one that never wins, and the fork.
Suite threads_suite();
FakeRun threads_run();
// The same cases with given times on two threads over those on one, cyclically.
FakeRun threads_run_with(const std::vector<double>& ratios);

// Metered rows: one variant whose calls grow dearer, one that can't do the second case.
Suite workload_suite();
FakeRun workload_run();

// With limits, goals, and peers of which some are wrong or lack an op.
Suite peers_suite();
FakeRun peers_run();

// Releases with a faster one, one with other inputs, a case that was replaced, and a noisy last
// run.
Suite tracking_suite();
std::vector<Release> tracking_releases();

}  // namespace nsop::report
