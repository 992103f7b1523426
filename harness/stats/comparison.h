// From samples to verdicts: pure functions, no I/O, no clock, no randomness.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::stats {

enum class Metric { kWallTime, kVerdictTime, kAllocs, kBytes };

// One row of a run: what all its timing invocations of status ok say, in ns per operation.
// Value of an invocation: the minimum over its repetitions. Value of a row: the median over its
// invocations. `wall` is what is shown; `verdict` is process CPU time at one thread, wall time of
// unpreempted repetitions above one thread (all repetitions, with a warning, if every one was
// preempted).
struct RowSummary {
  RowKey row;
  Status status = Status::kOk;  // ok if any timing invocation is ok, else the first failure
  std::string reason;
  std::string chose;
  std::string build_id, inputs_sha256;
  int invocations = 0, repetitions = 0;
  double wall_ns = 0, wall_lo_ns = 0, wall_hi_ns = 0;  // median and its 95 % interval
  double verdict_ns = 0;
  std::vector<double> verdict_values;  // one per invocation, in order of round
  std::vector<int> verdict_rounds;     // session * 100000 + round of each
  std::vector<double> wall_values;     // parallel to verdict_values
  double relative_sd = 0;              // of ln(verdict value) over invocations (robust: 1.4826 MAD)
  double preempted_share = 0;          // of repetitions
  double max_error_over_tolerance = 0;
  double max_abs_error = 0;
  std::optional<AllocCounts> allocs;  // nullopt: not counted (`n/a`)
  std::vector<std::string> warnings;  // distinct
  int64_t workspace_bytes = 0;
};

std::vector<RowSummary> summarize(const std::vector<Invocation>& invocations);

enum class Verdict { kBetter, kSame, kWorse, kInconclusive, kNew, kMissing, kIncomparable };
std::string verdict_text(Verdict verdict);  // `better`, ...

// Where a row's time goes, for the floor of its margin: working set against caches, flops per byte.
enum class Bound { kCore, kCache, kDram };

struct Policy {
  double tau = 0.005;  // between-run SD of ln(time) on this host
  double confidence = 0.99;
  double floor_core = 0.03, floor_cache = 0.06, floor_dram = 0.25;
};
// tau by kind of host: 0.005 on bare metal with a quiet state, 0.03 under a hypervisor.
Policy default_policy(const Host& host, const Conditions& conditions);

struct Comparison {
  double ratio = 1;       // after / before
  double lo = 1, hi = 1;  // interval of the ratio
  double margin = 0;      // relative: `same` means lo and hi within 1/(1+margin) .. 1+margin
  bool paired = false;
  Verdict verdict = Verdict::kInconclusive;
  std::string note;  // resolution of `same`, needs of `inconclusive`, why `incomparable`
};

// Two sets of one row's values, measured in one session with interleaved rounds: paired log ratios
// by round. Falls back to inconclusive when fewer than 6 rounds are shared.
Comparison compare_paired(const RowSummary& before, const RowSummary& after, Bound bound,
                          const Policy& policy);
// Values of different sessions: unpaired, variance se_a^2 + se_b^2 + 2 tau^2.
Comparison compare_unpaired(const RowSummary& before, const RowSummary& after, Bound bound,
                            const Policy& policy);
// allocs/op and B/op: exact.
Comparison compare_exact(double before, double after);

Bound classify_bound(double flops, double bytes, double working_set_bytes, const Host& host);

// One matched row of a diff.
struct DiffRow {
  RowKey row;
  std::optional<RowSummary> before, after;
  Comparison time;
  std::optional<Comparison> allocs, bytes;
  Verdict overall = Verdict::kInconclusive;  // worst of the three
};
struct Diff {
  std::vector<DiffRow> rows;  // sorted by row key
  std::vector<std::string> notes;
  bool comparable = true;  // false: other host or build type, every time verdict incomparable
};

// Joins two runs' rows by key. `facts` gives each case's work (cases without facts get the cache
// floor). Other host or another build type: not comparable, every time verdict incomparable, exact
// metrics still compared. Another inputs hash: that row is incomparable.
Diff diff(const std::vector<RowSummary>& before, const std::vector<RowSummary>& after,
          const std::map<std::string, CaseFacts>& facts, const Host& before_host,
          const Host& after_host, const Policy& policy);

}  // namespace nsop::stats
