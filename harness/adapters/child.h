// A program of somebody else's, run to its end: what it printed, and what it took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nsop::adapters {

struct ChildOptions {
  std::vector<std::string> command;        // program and arguments; no shell is involved
  std::string folder;                      // where it runs
  bool keep_output = true;                 // of standard output; else it is thrown away
  std::vector<std::string> environment{};  // `NAME=value`, in place of ours
};

struct ChildResult {
  int status = 0;       // exit status; 128 + n when signal n ended it
  std::string output;   // standard output
  std::string errors;   // the end of standard error, safe for a terminal
  int64_t wall_ns = 0;  // from before the fork until it was waited for
  int64_t cpu_ns = 0;   // user and system time of it and of the children that it waited for
  int64_t involuntary_switches = 0, minor_faults = 0, major_faults = 0;
};

// Runs it with standard input from /dev/null, messages in English (LC_ALL=C), the same addresses in
// every process (personality(2), ADDR_NO_RANDOMIZE), and without variables that begin with
// `BENCHMARK_`, which Google Benchmark takes for flags. While it runs, this process looks once in a
// second whether it prints without end. Throws Error: (environment) where it can't be started, (bad
// data) where it prints more than 64 MiB.
ChildResult run_child(const ChildOptions& options);

// By how much each is above the usual, which is the lower median of them. A process that runs for
// some time slices is interrupted in each of them, and undisturbed all the same.
std::vector<int64_t> beyond_usual(const std::vector<int64_t>& counts);

// `exit status 3; it printed: ...`.
std::string end_text(const ChildResult& result);

}  // namespace nsop::adapters
