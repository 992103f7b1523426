// From summaries to verdicts: pure functions, no I/O, no clock, no randomness.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/stats/summary.h"

namespace nsop::stats {

enum class Metric { kWallTime, kVerdictTime, kAllocs, kBytes };

enum class Verdict { kBetter, kSame, kWorse, kInconclusive, kNew, kMissing, kIncomparable };
std::string verdict_text(Verdict verdict);  // `better`, ...

// Where a row's time goes, for the floor of its margin: working set against caches, flops per byte.
enum class Bound { kCore, kCache, kDram };

// tau of one row, as its history shows it.
struct RowTau {
  double tau = 0, df = 0;
};

struct Policy {
  double tau = 0.005;  // between-run SD of ln(time) on this host
  double tau_df = 0;   // degrees of freedom that it was learned with; 0: it is known
  double confidence = 0.99;
  double floor_core = 0.03, floor_cache = 0.06, floor_dram = 0.25;
  // tau of rows whose history says more than `tau`, which stands for all others.
  std::map<RowKey, RowTau> row_tau{};
};
// tau by kind of host: 0.005 on bare metal with a quiet state, 0.03 under a hypervisor or on bare
// metal that was busy (load at or above the number of allowed CPUs, or stolen time of 1 % and
// more).
Policy default_policy(const Host& host, const Conditions& conditions);

// Of two runs: they tell no more of each other than the noisier one does. `policy` with the larger
// tau.
Policy noisier(Policy policy, const Policy& other);

// tau learned from the past of this host's rows (between_runs.h), and the policy with it. One tau
// is learned from all rows together. A row with a history that is long enough has a tau of its own,
// never less than the common one; every other row has the common one. The policy is unchanged when
// all rows together have too few steps. `steps` are run_steps() by row.
struct LearnedTau {
  double tau = 0;    // of all rows together; 0: too little is known
  double df = 0;     // of tau: rows of one run share its mood: they count as one row of mean length
  int rows = 0;      // with a history that is long enough
  size_t steps = 0;  // of all rows
  std::map<RowKey, RowTau> row_tau;
};
LearnedTau learn_tau(const std::map<RowKey, std::vector<double>>& steps);
Policy with_learned_tau(Policy policy, const LearnedTau& learned);

// Relative margin of a row whose time goes there.
double margin_of(Bound bound, const Policy& policy);

struct Comparison {
  double ratio = 1;  // after / before
  // Interval of the ratio. lo 0 and hi infinity: too few values for any interval.
  double lo = 1, hi = 1;
  double margin = 0;  // relative: `same` means lo and hi within 1/(1+margin) .. 1+margin
  bool paired = false;
  Verdict verdict = Verdict::kInconclusive;
  std::string note;  // resolution of `same`, needs of `inconclusive`, why `incomparable`
  int pairs = 0;     // paired: rounds that both sides have
};

// Two sets of one row's values, measured in one session with interleaved rounds: the t interval of
// the 10 % trimmed mean of ln(after / before) by round. Inconclusive when fewer than 6 rounds are
// shared, incomparable when a side isn't ok.
Comparison compare_paired(const RowSummary& before, const RowSummary& after, Bound bound,
                          const Policy& policy);
// Values of different sessions: the ratio of the medians, with variance se_a^2 + se_b^2 + 2 tau^2,
// a learned tau by the t quantile of its degrees of freedom.
// Inconclusive when a side has fewer than 2 invocations, incomparable when a side isn't ok.
Comparison compare_unpaired(const RowSummary& before, const RowSummary& after, Bound bound,
                            const Policy& policy);
// allocs/op and B/op: exact; equal is same, fewer better, more worse, and lo = hi = ratio. From 0
// to something is worse with an infinite ratio (print the two numbers, never the ratio); 0 to 0 is
// same with ratio 1.
Comparison compare_exact(double before, double after);

// Core: >= 8 flops per byte of compulsory traffic. Else DRAM when the working set exceeds the
// largest cache, or no cache size is known (the widest floor, so that ignorance raises no alarm).
// Else cache. The roofline model (Williams, Waterman & Patterson 2009,
// doi:10.1145/1498765.1498785); a core of 16-64 flops per cycle fed with 4-8 bytes per cycle has
// its ridge about there.
Bound classify_bound(double flops, double bytes, double working_set_bytes, const Host& host);

// One matched row of a diff.
struct DiffRow {
  RowKey row;
  std::optional<RowSummary> before, after;
  Comparison time;
  std::optional<Comparison> allocs, bytes;
  // The worst of the three; worst first: worse, incomparable, inconclusive, better, same. A row
  // that was ok and is not any more is worse (`unsupported` on both sides is same, other failures
  // on both sides are incomparable); one that is ok for the first time is new.
  Verdict overall = Verdict::kInconclusive;
};
struct Diff {
  std::vector<DiffRow> rows;  // sorted by row key
  std::vector<std::string> notes;
  bool comparable = true;  // false: other host, or rows built as another type
};

// Joins two runs' rows by key. `facts` gives each case's work (cases without facts get the cache
// floor), `builds` the build of every build id (rows whose builds are unknown are compared).
// Other host or another build type: time incomparable, exact metrics still compared. Another inputs
// hash: that row is incomparable in everything.
Diff diff(const std::vector<RowSummary>& before, const std::vector<RowSummary>& after,
          const std::map<std::string, CaseFacts>& facts, const Host& before_host,
          const Host& after_host, const Policy& policy,
          const std::map<std::string, Build>& builds = {});

}  // namespace nsop::stats
