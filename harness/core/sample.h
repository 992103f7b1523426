// The nouns of a measurement: row, repetition, invocation, run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nsop {

// What is measured once: a case done by a variant on a target with so many threads.
struct RowKey {
  std::string case_text;
  std::string variant;
  std::string target;  // the concrete target, never `best`
  int threads = 1;
  auto operator<=>(const RowKey&) const = default;
  std::string text() const;  // `case | variant@target | threads=n`
};

// One timed repetition of `iterations` back-to-back operations. Times are totals in nanoseconds.
struct Repetition {
  int64_t iterations = 0;
  int64_t wall_ns = 0;
  int64_t process_cpu_ns = 0;
  int64_t thread_cpu_ns = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  // What a metered step (harness/core/metered.h) says of its last operation, by name; else empty.
  std::map<std::string, double> metrics{};
  bool operator==(const Repetition&) const = default;
};

// Each metric's least value over the repetitions: their value for an invocation.
std::map<std::string, double> least_metrics(const std::vector<Repetition>& repetitions);

// Result of the counting pass: exact numbers.
struct AllocCounts {
  double allocs_per_op = 0;     // steady state
  double bytes_per_op = 0;      // requested bytes, steady state
  int64_t one_time_allocs = 0;  // made by the first operation only
  int64_t one_time_bytes = 0;
  int64_t peak_live_bytes = 0;  // above the level before the operations
  bool steady = true;           // both iteration counts gave the same allocs and bytes per op
  bool operator==(const AllocCounts&) const = default;
};

// Instructions of one operation, counted by a simulator: on one thread, and the same in every
// process of the same program.
struct InstructionCounts {
  double per_op = 0;       // 0: not counted
  std::string counted_by;  // `callgrind-3.19.0`
  std::string target;      // the row's, or the best one that the simulated processor has
  std::string reason;      // why there is no count
  bool operator==(const InstructionCounts&) const = default;
};

// Why these numbers can't have been measured, in one line; empty when they can. Counts and times
// are integers that a double holds exactly, and no operation takes less than a picosecond.
std::string problem_of(const Repetition& repetition);
std::string problem_of(const AllocCounts& counts);
std::string problem_of(const InstructionCounts& counts);

enum class Status { kOk, kWrong, kUnsupported, kError, kTimeout, kLost };
std::string status_text(Status status);       // `ok`, `wrong`, ...
Status status_from_text(const std::string&);  // throws Error (bad data)

enum class Phase { kTime, kCount };  // a timing invocation, or one under the counting preload

// How far the outputs were from the oracle, over all outputs and both seeds.
struct CheckResult {
  bool ok = false;
  double max_abs_error = 0;
  double max_rel_error = 0;         // over elements with |expected| >= 1e-3 of the largest
  double worst_over_tolerance = 0;  // max of |error| / allowed; <= 1 means ok
  std::string message;              // for a wrong result: output, index, got, expected, allowed
};

// One worker process measuring one row once.
struct Invocation {
  std::string id;      // uuid
  std::string run_id;  // uuid
  Phase phase = Phase::kTime;
  int session = 0;
  int round = 0;  // the counting pass is round 0 of its own phase
  int slot = 0;   // position within the round
  std::string build_id;
  RowKey row;
  Status status = Status::kOk;
  std::string reason;  // for anything but ok
  std::string chose;   // what the variant chose inside
  std::string inputs_sha256;
  CheckResult check;
  std::vector<Repetition> repetitions;            // phase time, status ok
  std::optional<AllocCounts> allocs;              // phase count, status ok
  std::optional<InstructionCounts> instructions;  // the same, where they were asked for
  std::vector<std::string> warnings;  // doubts that travel with the numbers to the report
  int64_t workspace_bytes = 0;
  double process_age_s = 0;  // of the worker at the start of measuring
  // Wall time of the process's first operation, before it warms up; 0: unknown, or the process had
  // done others.
  int64_t first_ns = 0;
  std::string at_utc;  // ISO 8601, when it ended
};

// The build that produced a worker.
struct Build {
  std::string id;      // SHA-256 over everything below
  std::string commit;  // `unknown` without git
  bool dirty = false;
  std::string compiler;
  std::string flags;
  std::string build_type;
  std::string libc;
  std::string engine;  // `google-benchmark 1.7.1`
  std::string link_seed;
  std::string binary_sha256;
  std::string reference_sha256;  // sources of the oracles
};

// Identity of a machine: nothing measured in it, stable over reboots.
struct Host {
  std::string id;  // SHA-256 over the identity below
  std::string cpu_vendor, cpu_model;
  int family = 0, model = 0, stepping = 0;
  int sockets = 0, cores = 0, threads = 0;     // visible
  std::map<std::string, int64_t> cache_bytes;  // `L1d`, `L2`, `L3`: of one instance
  std::vector<std::string> isa;                // sorted flags that matter for float kernels
  std::string hypervisor;                      // empty on bare metal
};

// The state that a machine was in when a run started.
struct Conditions {
  std::string kernel, os, governor, turbo, aslr, libc, microcode;
  double load1 = 0;          // one-minute load average
  double steal_percent = 0;  // since boot
  int64_t memory_bytes = 0, memory_available_bytes = 0;
  std::vector<int> allowed_cpus;
  std::string glibc_tunables;
};

// The work of a case, as the reference states it; stored with the run, so that reports and diffs
// need no worker.
struct CaseFacts {
  double flops = 0, macs = 0, bytes = 0;  // of one operation, nominal
  double working_set_bytes = 0;           // inputs and outputs together
  double written_bytes = 0;               // outputs; 0 in runs that did not record it
};

enum class RunState { kRunning, kComplete, kAborted };
std::string run_state_text(RunState state);
RunState run_state_from_text(const std::string&);

struct Run {
  std::string id;  // uuid
  std::string host_id;
  Conditions conditions;
  std::string origin = "measured";         // measured, gate, confirm, imported, published
  std::string trust = "local";             // local, ci, pr, imported
  std::string profile;                     // quick, comprehensive, full, manual
  uint64_t seed = 0;                       // of the shuffling
  std::map<std::string, CaseFacts> facts;  // by case text
  std::string plan_json;                   // suites, rows, rounds: what --resume goes on from
  int64_t invocations_planned = 0;
  std::string started_utc, ended_utc;
  RunState state = RunState::kRunning;
  std::string sha256;  // set when finished
  std::string tool_version;
};

// `1a2b3c4d`: enough of a uuid for people.
std::string short_id(const std::string& uuid);

}  // namespace nsop
