#include "harness/run/invoke.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/core/check.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/io/npy_view.h"
#include "harness/core/planned_note.h"
#include "harness/run/workers/same_arrays.h"

namespace nsop::run {
namespace {

constexpr int64_t kLoadTimeoutMs = 120'000;
// From here on an invocation times one operation, and only the first one of a row looks at other
// inputs: seconds for what the other invocations have shown already.
constexpr int64_t kSlowStepNs = 200'000'000;
constexpr int64_t kCountOnceNs = 1'000'000'000;

Invocation fresh(const RowKey& row, const InvokeContext& context, Phase phase) {
  Invocation invocation;
  invocation.id = new_uuid();
  invocation.phase = phase;
  invocation.build_id = context.worker.build.id;
  invocation.row = row;
  invocation.inputs_sha256 = sha256_hex(context.first.inputs_sha256 + context.second.inputs_sha256);
  return invocation;
}

// The outputs at `paths` against those that are expected from the inputs of a seed.
CheckResult compare(const std::vector<std::string>& paths, uint64_t seed,
                    const InvokeContext& context) {
  const CaseDescription& d = context.description;
  if (paths.size() != d.outputs.size()) {
    throw WorkerFailure(Status::kError, fmt::format("worker returned {} outputs, expected {}",
                                                    paths.size(), d.outputs.size()));
  }
  const std::vector<std::string> expected_paths =
      d.given_outputs ? context.oracle.given(d.text, seed, paths)
                      : (seed == kFirstSeed ? context.first : context.second).expected;
  if (expected_paths.size() != paths.size()) {
    throw WorkerFailure(Status::kError, fmt::format("the reference returned {} outputs, not {}",
                                                    expected_paths.size(), paths.size()));
  }
  CheckResult result = passed();
  for (size_t i = 0; i < paths.size(); ++i) {
    try {
      const NpyView<double> expected(expected_paths[i]);
      const NpyView<float> got(paths[i], expected.most_bytes_as<float>());
      result = merge(result, check_output(d.outputs[i].name, got.data(), expected.data(),
                                          expected.shape(), d.tolerances[i]));
    } catch (const Error& error) {
      throw WorkerFailure(Status::kError, error.what());
    }
  }
  return result;
}

bool unchanged(const std::vector<std::string>& now, const std::vector<std::string>& before) {
  try {
    return same_arrays(now, before);
  } catch (const Error& error) {
    throw WorkerFailure(Status::kError, error.what());
  }
}

// Merges a check into the invocation; false when the result is wrong.
bool accept(Invocation& invocation, const CheckResult& check, const char* when) {
  invocation.check = merge(invocation.check, check);
  if (check.ok) return true;
  invocation.status = Status::kWrong;
  invocation.reason = fmt::format("{}: {}", when, check.message);
  return false;
}

// Timed repetitions may change neither the inputs nor the result. `before` are the outputs that
// were right before them: what has the same bits needs no second look.
bool still_right(WorkerClient& worker, Invocation& invocation, const InvokeContext& context,
                 const std::vector<std::string>& before) {
  const std::string folder = context.scratch + "/dump";
  std::filesystem::create_directories(folder);
  const WorkerClient::Dumped dumped = worker.dump(folder);
  if (!unchanged(dumped.inputs, context.first.inputs)) {
    invocation.status = Status::kWrong;
    invocation.reason = "after timing: the inputs were changed";
    return false;
  }
  if (unchanged(dumped.outputs, before)) return true;
  return accept(invocation, compare(dumped.outputs, kFirstSeed, context), "after timing");
}

bool right_on_second_seed(WorkerClient& worker, Invocation& invocation,
                          const InvokeContext& context, int64_t timeout_ms) {
  const Loaded again =
      worker.load(invocation.row, context.second.inputs, context.scratch, timeout_ms);
  return accept(invocation, compare(again.outputs, kSecondSeed, context), "with other inputs");
}

MeasureOptions adapt(MeasureOptions options, int64_t step_ns, Invocation& invocation) {
  if (step_ns < kSlowStepNs) return options;
  options.slow_repetitions = 1;
  options.warmup_ns = 0;  // the checked operation has warmed up
  invocation.warnings.push_back(std::string(kPlannedNote) +
                                "an operation takes over 0.2 s: one repetition per invocation");
  return options;
}

int64_t measure_timeout_ms(const MeasureOptions& options, const Loaded& loaded) {
  const int64_t per_repetition =
      std::max({options.min_time_ns, loaded.step_ns, loaded.repetition_ns});
  return 30'000 + 20 * (options.repetitions + 2) * per_repetition / 1'000'000;
}

// Runs `body` with a loaded, checked row; turns every failure into a status. Only a refusal leaves
// a kept worker in a state that can be trusted.
template <typename Body>
void with_loaded_row(Invocation& invocation, const InvokeContext& context,
                     const WorkerCommand& command, LoadedFacts* facts, Body body) {
  const int threads = invocation.row.threads;
  KeptClients* const kept = context.worker.hello.has("reusable") ? context.kept : nullptr;
  const bool tell = context.worker.hello.has("known_rows");
  try {
    std::optional<WorkerClient> own;
    WorkerClient& worker = kept != nullptr ? kept->get(command, context.cpus, threads)
                                           : own.emplace(command, context.cpus, threads);
    const Loaded loaded = worker.load(invocation.row, context.first.inputs, context.scratch,
                                      kLoadTimeoutMs, tell ? *facts : LoadedFacts{});
    *facts = loaded;
    const bool is_first = own && loaded.repetition_ns == 0;  // not what a program calls one
    if (is_first && invocation.phase == Phase::kTime) invocation.first_ns = loaded.step_ns;
    invocation.chose = loaded.chose;
    invocation.workspace_bytes = loaded.workspace_bytes;
    if (loaded.target != invocation.row.target) {
      throw WorkerFailure(Status::kError, fmt::format("asked for target {}, it runs on {}",
                                                      invocation.row.target, loaded.target));
    }
    invocation.check.ok = true;
    if (accept(invocation, compare(loaded.outputs, kFirstSeed, context), "before timing")) {
      body(worker, loaded);
      if (own) own->quit();
    }
  } catch (const WorkerFailure& failure) {
    if (kept != nullptr && failure.status() != Status::kUnsupported) kept->drop(command, threads);
    invocation.status = failure.status();
    invocation.reason = failure.what();
  } catch (const Error& error) {
    if (error.code() != ExitCode::kUsage) throw;  // of our own: no process, no folder
    invocation.status = Status::kError;  // the worker refuses a case that the reference takes
    invocation.reason = error.what();
  }
  if (invocation.status != Status::kOk) {
    invocation.first_ns = 0;
    invocation.repetitions.clear();
    invocation.allocs.reset();
  }
  invocation.at_utc = utc_now();
}

AllocCounts to_counts(const Counted& counted) {
  const CountWindow& a = counted.windows.front();
  const CountWindow& b = counted.windows.back();
  AllocCounts counts;
  counts.allocs_per_op = static_cast<double>(b.allocs) / static_cast<double>(b.iterations);
  counts.bytes_per_op = static_cast<double>(b.bytes) / static_cast<double>(b.iterations);
  counts.steady = a.allocs * b.iterations == b.allocs * a.iterations &&
                  a.bytes * b.iterations == b.bytes * a.iterations;
  counts.one_time_allocs =
      std::max<int64_t>(0, counted.first_allocs - static_cast<int64_t>(counts.allocs_per_op));
  counts.one_time_bytes =
      std::max<int64_t>(0, counted.first_bytes - static_cast<int64_t>(counts.bytes_per_op));
  counts.peak_live_bytes = std::max(a.peak_live_bytes, b.peak_live_bytes);
  return counts;
}

}  // namespace

std::vector<int> worker_cpus(const std::vector<int>& allowed, int threads) {
  const size_t n = std::min<size_t>(static_cast<size_t>(threads), allowed.size());
  return {allowed.end() - static_cast<std::ptrdiff_t>(n), allowed.end()};
}

Invocation time_row(const RowKey& row, const InvokeContext& context, LoadedFacts* facts) {
  Invocation invocation = fresh(row, context, Phase::kTime);
  with_loaded_row(
      invocation, context, context.worker.timing, facts,
      [&](WorkerClient& worker, const Loaded& loaded) {
        const MeasureOptions options = adapt(context.measure, loaded.step_ns, invocation);
        const Measured measured = worker.measure(options, measure_timeout_ms(options, loaded));
        invocation.repetitions = measured.repetitions;
        invocation.process_age_s = measured.process_age_s;
        if (context.description.outputs.empty()) {
          invocation.warnings.push_back(std::string(kPlannedNote) + "its output is not compared");
          return;
        }
        const int64_t timeout_ms = kLoadTimeoutMs + 20 * loaded.step_ns / 1'000'000;
        const bool right = still_right(worker, invocation, context, loaded.outputs);
        if (right && (context.first_time || loaded.step_ns < kSlowStepNs)) {
          right_on_second_seed(worker, invocation, context, timeout_ms);
        }
      });
  return invocation;
}

Invocation count_row(const RowKey& row, const InvokeContext& context, LoadedFacts* facts) {
  Invocation invocation = fresh(row, context, Phase::kCount);
  if (context.worker.counting.preload.empty()) {
    invocation.status = Status::kUnsupported;
    invocation.reason = "allocations can't be counted in this worker";
    invocation.at_utc = utc_now();
    return invocation;
  }
  with_loaded_row(invocation, context, context.worker.counting, facts,
                  [&](WorkerClient& worker, const Loaded& loaded) {
                    std::vector<int> iterations = {4, 16};
                    if (loaded.step_ns > kCountOnceNs / 10) iterations = {1, 2};
                    if (loaded.step_ns > kCountOnceNs) iterations = {1, 1};
                    const int64_t timeout_ms = 60'000 + 400 * loaded.step_ns / 1'000'000;
                    invocation.allocs = to_counts(worker.count_allocs(iterations, timeout_ms));
                  });
  if (context.measure.instructions && invocation.status == Status::kOk) {
    invocation.instructions =
        count_instructions({context.worker, context.first.inputs, context.cpus, context.scratch},
                           {row, invocation.chose, facts->step_ns});
  }
  return invocation;
}

Invocation check_row(const RowKey& row, const InvokeContext& context) {
  Invocation invocation = fresh(row, context, Phase::kTime);
  LoadedFacts facts;
  with_loaded_row(invocation, context, context.worker.timing, &facts,
                  [&](WorkerClient& worker, const Loaded&) {
                    right_on_second_seed(worker, invocation, context, kLoadTimeoutMs);
                  });
  return invocation;
}

}  // namespace nsop::run
