// From the invocations of a run to one summary per row: pure, no I/O, no clock, no randomness.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::stats {

// One row of a run: what all its timing invocations of status ok say, in ns per operation.
// Value of an invocation: the minimum over its repetitions. Value of a row: the median over its
// invocations. `wall` is what is shown; `verdict` is process CPU time at one thread (wall time,
// with a warning, where the worker has no CPU clock), wall time of unpreempted repetitions above
// one thread (all repetitions if every one was preempted: see interrupted_share).
struct RowSummary {
  RowKey row;
  // `wrong` if any invocation was, timing or counting. Else ok if any timing invocation is ok
  // (those that failed are counted in a warning), else its worst failure: error, timeout, lost,
  // unsupported. An ok row becomes `error` when another thread did part of the work of a one-thread
  // row, or when its invocations had different inputs. Every time is 0 and every list of values
  // empty unless ok.
  Status status = Status::kOk;
  std::string reason;
  std::string chose;
  std::string build_id, inputs_sha256;
  int invocations = 0, repetitions = 0;  // that the times come from
  // Median and its 95 % interval; the range of the values, with a warning, below six invocations.
  double wall_ns = 0, wall_lo_ns = 0, wall_hi_ns = 0;
  double verdict_ns = 0;
  // A device did the work (docs/protocol.md: device_ns), by this process's orders: times are judged
  // by wall time, as those of several threads.
  bool on_device = false;
  std::vector<double> verdict_values;  // one per invocation, in order of round
  std::vector<int> verdict_rounds;     // session * 100000 + round of each
  std::vector<double> wall_values;     // parallel to verdict_values
  // ln(mean / least) of the repetitions by the same clock, parallel to verdict_values: what the
  // fastest repetition can't see. NaN above one thread with fewer than three repetitions that were
  // not preempted, unless there are no more in all.
  std::vector<double> excess_values;
  // Medians over the invocations, for histories: of ln(mean / least) where at least three
  // repetitions count, and of the first operation of a process, in ns. nullopt: of none known.
  std::optional<double> excess, first_ns;
  // What a metered step told, by name: one value per invocation, parallel to verdict_values. Names
  // that not every invocation has are left out.
  std::map<std::string, std::vector<double>> metrics;
  double relative_sd = 0;      // of ln(verdict value) over invocations (robust: 1.4826 MAD)
  double preempted_share = 0;  // of repetitions
  // On one thread, the share of wall time without CPU time in the repetitions that gave
  // wall_values: the median over the invocations. 0 without a CPU clock and above one thread, where
  // it can't be told.
  double lost_share = 0;
  // Above one thread, the share of invocations whose repetitions were all preempted: the time that
  // this cost can't be told.
  double interrupted_share = 0;
  double faults_per_op = 0;  // minor page faults: as times, the least of each invocation's, median
  double max_error_over_tolerance = 0;
  double max_abs_error = 0;
  std::optional<AllocCounts> allocs;              // nullopt: not counted (`n/a`)
  std::optional<InstructionCounts> instructions;  // nullopt: nobody asked for them
  std::vector<std::string> warnings;              // distinct
  int64_t workspace_bytes = 0;
};

// One summary per row key, sorted by it; the order of the invocations doesn't matter.
std::vector<RowSummary> summarize(const std::vector<Invocation>& invocations);

}  // namespace nsop::stats
