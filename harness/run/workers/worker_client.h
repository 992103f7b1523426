// The other end of the worker protocol (docs/protocol.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/registry.h"
#include "harness/run/workers/process.h"

namespace nsop::run {

// A worker that can't go on: the case is over, the rest of the run isn't.
class WorkerFailure : public std::runtime_error {
 public:
  WorkerFailure(Status status, const std::string& reason)
      : std::runtime_error(reason), status_(status) {}
  Status status() const { return status_; }  // kError, kTimeout or kUnsupported

 private:
  Status status_;
};

struct VariantInfo {
  std::string op, name, summary;
  Role role = Role::kOurs;
  std::vector<std::string> targets;  // best first
};

struct Hello {
  std::string program, engine;
  Build build;
  std::vector<std::string> features;
  std::vector<OpSpec> ops;
  std::vector<VariantInfo> variants;
  std::vector<std::string> left_out;  // cases that it has and can't measure, with the reason
  bool has(const std::string& feature) const;
};

// What a worker's answer to `hello` says. Throws WorkerFailure when it isn't the protocol.
Hello hello_from_answer(const Json& answer);

struct CaseDescription {
  std::string text;  // canonical
  std::vector<OutputSpec> outputs;
  std::vector<Tolerance> tolerances;  // of each output
  bool given_outputs = false;         // what is expected depends on the outputs produced
  CaseFacts facts;
  int64_t memory_bytes = 0;
  int threads = 1;  // that it is measured on unless others are asked for
};

// What loading a row tells of it beside its outputs.
struct LoadedFacts {
  int64_t step_ns = 0;
  int64_t repetition_ns = 0;  // that a repetition takes at least, whatever is asked for; 0: unknown
  std::string chose;
};

struct Loaded : LoadedFacts {
  std::string target;
  int64_t workspace_bytes = 0;
  std::vector<std::string> outputs;  // .npy paths
};

struct MeasureOptions {
  int64_t warmup_ns = 8'000'000;
  int repetitions = 10;
  int64_t min_time_ns = 2'000'000;
  int slow_repetitions = 3;
  // The instructions of an operation are counted, too, and the processor's counters read where
  // there are any.
  bool instructions = false;
};

struct Measured {
  double process_age_s = 0;
  std::vector<Repetition> repetitions;
};

struct CountWindow {
  int64_t iterations = 0, allocs = 0, bytes = 0, peak_live_bytes = 0;
};
struct Counted {
  int64_t first_allocs = 0, first_bytes = 0;
  std::vector<CountWindow> windows;
};

struct WorkerCommand {
  std::vector<std::string> command;
  std::string preload;                     // library to preload; empty: none
  std::vector<std::string> environment{};  // `NAME=value`
  int64_t hello_ms = 30'000;               // that it may take to say who it is
};

// Every call throws WorkerFailure when the worker dies, hangs longer than its timeout, answers with
// something that isn't the protocol, or refuses.
class WorkerClient {
 public:
  WorkerClient(const WorkerCommand& worker, const std::vector<int>& cpus, int threads);

  Hello hello();
  CaseDescription describe(const std::string& case_text);
  // Writes inputs and expected outputs below `dir`. `outputs` (.npy paths): those that a step
  // produced, for a case with given_outputs; without them, only its inputs are written.
  void reference(const std::string& case_text, uint64_t seed, const std::string& dir,
                 const std::vector<std::string>& outputs = {});
  // `known`: what another process told of this row, for a worker that says `known_rows`; its
  // repetition_ns is 0 where nothing is known.
  Loaded load(const RowKey& row, const std::vector<std::string>& inputs, const std::string& dir,
              int64_t timeout_ms, const LoadedFacts& known = {});
  Measured measure(const MeasureOptions& options, int64_t timeout_ms);
  Counted count_allocs(const std::vector<int>& iterations, int64_t timeout_ms);
  struct Dumped {
    std::vector<std::string> inputs, outputs;
  };
  Dumped dump(const std::string& dir);
  void quit();

  // One request, one answer; public for conformance tests. An answer with ok=false is returned as
  // it is by `ask_raw`; `ask` turns it into WorkerFailure (or Error for bad_case).
  Json ask_raw(Json request, int64_t timeout_ms);
  Json ask(Json request, int64_t timeout_ms);

 private:
  Process process_;
  int64_t hello_ms_;
  int64_t next_id_ = 1;
};

}  // namespace nsop::run
