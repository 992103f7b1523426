// One invocation: a worker process measures one row once, and its outputs are compared here.
#pragma once

#include <string>

#include "harness/run/instructions.h"
#include "harness/run/plan/plan.h"
#include "harness/run/workers/kept_clients.h"
#include "harness/run/workers/oracle_cache.h"

namespace nsop::run {

constexpr uint64_t kFirstSeed = 1, kSecondSeed = 2;

struct InvokeContext {
  const Worker& worker;
  const CaseDescription& description;
  const ReferenceData& first;   // of kFirstSeed
  const ReferenceData& second;  // of kSecondSeed: overwrites the inputs after timing
  OracleCache& oracle;          // asked again for a case with given_outputs
  std::vector<int> cpus;        // where the worker may run
  std::string scratch;          // a folder for its outputs
  MeasureOptions measure;
  KeptClients* kept = nullptr;  // for a reusable worker; without it every row starts a process
  bool first_time = true;       // of the row: a slow one is tried on other inputs only then
};

// Where a worker of so many threads runs: the last of the allowed CPUs; the runner takes the
// others.
std::vector<int> worker_cpus(const std::vector<int>& allowed, int threads);

// Fills status, reason, check, repetitions or allocs, warnings. Never throws WorkerFailure: a
// worker that crashes, hangs or prints rubbish costs its row only. `facts` is what earlier
// invocations of this build's row told, empty for the first, and receives what this one tells.
Invocation time_row(const RowKey& row, const InvokeContext& context, LoadedFacts* facts);
// Allocations and, where the context says so, instructions; without these the row has a reason.
Invocation count_row(const RowKey& row, const InvokeContext& context, LoadedFacts* facts);
// Runs the row on both seeds and compares, without timing.
Invocation check_row(const RowKey& row, const InvokeContext& context);

}  // namespace nsop::run
