// Carries out a plan: counts allocations, then times in shuffled, interleaved rounds.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/run/invoke.h"

namespace nsop::run {

// Told of everything worth showing; called only between invocations, never while something is
// timed.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void note(const std::string& text) = 0;
  // `done` of `planned` invocations; `left_s` is the estimated rest, NaN before anything was timed.
  virtual void progress(const RowKey& row, int64_t done, int64_t planned, double left_s) = 0;
  virtual void finished(const Invocation& invocation) = 0;
};

// What a finished invocation is identified by within a run.
using Slot = std::tuple<Phase, int, RowKey>;  // phase, round, row
// What an interrupted run has already.
using Done = std::map<Slot, Status>;

struct RunOutcome {
  int64_t done = 0, failed = 0;  // invocations of this call; failed: not ok and not unsupported
  double timing_s = 0;           // wall time of the timing phase
  int64_t dropped_rounds = 0;    // rounds that the budgets did not allow
};

class Runner {
 public:
  Runner(const Plan& plan, const std::vector<Worker>& workers, OracleCache& oracle,
         std::string scratch, Observer& observer);

  // Every invocation goes to `sink` as it ends, but those that are `done` already.
  // Throws Interrupted, Error (from the sink), never WorkerFailure.
  RunOutcome run(const std::string& run_id, const Done& done,
                 const std::function<void(const Invocation&)>& sink);

 private:
  struct RowState {
    int rounds = 0;  // still allowed by the budgets
    int next_round = 0;
    double seconds = 0;          // one timing invocation, once known
    bool dropped = false;        // unsupported, wrong, error or timeout
    LoadedFacts facts;           // of its latest process
    std::string note;            // why it has fewer or more rounds, told with the next invocations
    std::vector<double> values;  // ns per operation of those timed, the fastest repetition of each
  };

  void count_all(const Done& done);
  void time_all(const Done& done);
  void skip_done(const Done& done);
  bool ends_row(size_t row, Phase phase, Status status) const;
  void time_round(int round, const Done& done);
  bool ask_again(int rounds_done);
  Invocation measure(size_t row, Phase phase, int round);
  void emit(size_t row, Invocation invocation, int round, int slot);
  void fit_to_budget(int rounds_done);
  std::vector<size_t> order_of(int round) const;
  int64_t planned() const;
  double seconds_left(int round) const;
  double seconds_to_tell(int round) const;

  const Plan& plan_;
  const std::vector<Worker>& workers_;
  OracleCache& oracle_;
  std::string scratch_;
  Observer& observer_;
  KeptClients kept_;  // over one round
  std::vector<int> allowed_cpus_;
  std::vector<RowState> states_;
  std::string run_id_;
  std::function<void(const Invocation&)> sink_;
  RunOutcome outcome_;
  double counting_s_ = 0;
};

}  // namespace nsop::run
