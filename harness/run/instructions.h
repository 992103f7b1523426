// Instructions of one operation, counted by callgrind on a worker as it is.
//
// Valgrind simulates a processor, so a count is exact and no other program touches it. It has no
// AVX-512 (such a row is counted on the best target that it has), runs one thread at a time, and
// takes some fifty times as long. Counted is what runs
// between the entry of the step's run(), by whose symbol it is found, and its return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/run/plan/plan.h"

namespace nsop::run {

// Where a row is counted: the worker, the .npy files of its inputs, the CPUs that it may have, and
// a folder for what it writes.
struct CountPlace {
  const Worker& worker;
  const std::vector<std::string>& inputs;
  const std::vector<int>& cpus;
  const std::string& scratch;
};

// What the row did outside of callgrind, which it must do there, too.
struct SeenRow {
  const RowKey& row;
  const std::string& chose;
  int64_t step_ns = 0;  // of its first operation
};

// Counts a later operation of a process: what the first one does once is left out. Never throws
// WorkerFailure: whatever goes wrong is the reason of a count that isn't there.
InstructionCounts count_instructions(const CountPlace& place, const SeenRow& seen);

// Why no row can be counted here, and what to do; empty: rows can.
std::string missing_valgrind();

// What a file of callgrind's says: who wrote it, and all instructions collected. nullopt: it isn't
// whole.
struct CallgrindTotal {
  std::string creator;  // `callgrind-3.19.0`
  int64_t instructions = 0;
};
std::optional<CallgrindTotal> read_callgrind(const std::string& text);

}  // namespace nsop::run
