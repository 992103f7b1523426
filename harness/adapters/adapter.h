// How benchmarks of one kind of program are found and measured: what a new kind adds.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/adapters/program.h"
#include "harness/core/sample.h"

namespace nsop::adapters {

struct Found {
  std::string name;  // as the program calls it
  int threads = 1;   // of its own
};

struct LeftOut {
  std::string name, reason;
};

struct Listing {
  std::vector<Found> cases;  // in the program's order, each name once
  std::vector<LeftOut> left_out;
};

struct TimeRequest {
  std::string name;
  int repetitions = 1;
  int64_t min_time_ns = 1;   // that a repetition aims to exceed
  int64_t operation_ns = 0;  // what one took when the row was loaded; 0: that is being found out
};

struct Timed {
  std::vector<Repetition> repetitions;  // at least one; what isn't known of it is 0
  std::string note;                     // how these numbers came about; may be empty
  std::string printed;                  // standard output, where it is to be compared
};

// Allocations of so many operations on end.
struct AllocWindow {
  int64_t iterations = 0;
  int64_t allocs = 0, bytes = 0;
  int64_t peak_live_bytes = 0;  // above the level at their begin
};

struct CountRequest {
  std::string name;
  std::vector<int> iterations;  // wanted, where the program doesn't choose itself
};

struct Counted {
  AllocWindow first;                 // the first operation of a process, or the first few
  std::vector<AllocWindow> windows;  // one for each number of iterations wanted
  bool own_iterations = false;       // the program chose how many
};

// An adapter keeps nothing between calls. `scratch` is a folder for its files. All throw Error:
// (environment) for a program that can't be started, (failed) for one that fails, (inconclusive)
// for a benchmark that skips itself, and (bad data) for one that says something else than asked.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual Listing list(const Program& program, const std::string& scratch) const = 0;
  // One process of the program, which measures this benchmark alone.
  virtual Timed time(const Program& program, const TimeRequest& request,
                     const std::string& scratch) const = 0;
  // Counts the allocations of this benchmark in processes that inherit the preload which this one
  // runs under (child_counts.h). (inconclusive) where they can't be told from those of others.
  virtual Counted count(const Program& program, const CountRequest& request,
                        const std::string& scratch) const;
  // What measures, with its version where that can be told: `google-benchmark`.
  virtual std::string engine() const = 0;
};

struct AdapterKind {
  const char* name;
  const char* summary;  // which programs it is for
  const Adapter& (*adapter)();
};

// All kinds, in the order of the help.
const std::vector<AdapterKind>& adapter_kinds();

// Throws Error (usage) with a suggestion for an unknown name.
const Adapter& adapter_named(const std::string& name);

// The cases that the program is to be asked for. A name that is listed twice means neither.
Listing chosen(const Program& program, Listing listing);

const Adapter& gbench_adapter();
const Adapter& catch2_adapter();
const Adapter& nanobench_adapter();
const Adapter& go_adapter();
const Adapter& pytest_adapter();
const Adapter& command_adapter();
const Adapter& worker_adapter();

}  // namespace nsop::adapters
