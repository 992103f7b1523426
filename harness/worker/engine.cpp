// Google Benchmark as a sampler, behind the interface of engine.h. Its traps, all met here:
//  - The exit code, the number of matches and an invalid filter all look like success: nothing is
//    trusted but the runs that arrived, and each is compared with what was asked.
//  - Before 1.9.0 the wall time of a run is divided by its threads (a 2 ms sleep on 4 threads reads
//    0.52 ms): undone on reading, although one thread is all we ever register.
//  - MinWarmUpTime() aborts the process together with Iterations(): the warm-up is our own.
//  - Its memory pass counts the set-up of the whole function as allocations: never used, see
//    allocs/alloc_counter.h.
//  - With two or more repetitions aggregates arrive beside the runs: dropped by run type.
//  - BENCHMARK_* environment variables change its defaults: every flag that matters is set back.
//  - PrintBasicContext() warns "built as DEBUG" about Debian's library and about CPU scaling: our
//    reporter prints nothing; the version is kept in the build instead.
#include "harness/worker/engine.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <optional>

#include "harness/core/metered.h"
#include "harness/worker/clock.h"
#include "harness/worker/counters/perf_counters.h"
#include "harness/worker/engine_check.h"
#include "harness/worker/process_usage.h"

namespace nsop::worker {
namespace {

constexpr int64_t kMaxIterations = 1'000'000'000;

// The counters at one moment. start() and stop() read in mirrored order: the clock with the
// tightest claim (wall) is read next to the loop. The thread's clock is read outside the process's:
// what the system charges between two readings (a hypervisor's stolen time too) would look like
// another thread's work otherwise.
struct Reading {
  ProcessUsage usage;
  int64_t process_cpu = 0, thread_cpu = 0, wall = 0;

  static Reading start() {
    Reading r;
    r.usage = process_usage();
    r.thread_cpu = thread_cpu_ns();
    r.process_cpu = process_cpu_ns();
    r.wall = monotonic_ns();
    return r;
  }
  static Reading stop() {
    Reading r;
    r.wall = monotonic_ns();
    r.process_cpu = process_cpu_ns();
    r.thread_cpu = thread_cpu_ns();
    r.usage = process_usage();
    return r;
  }
};

Repetition difference(const Reading& a, const Reading& b, int64_t iterations) {
  Repetition r;
  r.iterations = iterations;
  r.wall_ns = b.wall - a.wall;
  r.process_cpu_ns = b.process_cpu - a.process_cpu;
  r.thread_cpu_ns = b.thread_cpu - a.thread_cpu;
  r.involuntary_switches = b.usage.involuntary_switches - a.usage.involuntary_switches;
  r.minor_faults = b.usage.minor_faults - a.usage.minor_faults;
  r.major_faults = b.usage.major_faults - a.usage.major_faults;
  return r;
}

// Most memory that the process has had in RAM so far; nothing where the system doesn't tell. (The
// maximum of getrusage() won't do: a child inherits its parent's.)
std::optional<double> peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return 1024.0 * std::strtod(line.c_str() + 6, nullptr);
  }
  return std::nullopt;
}

std::map<std::string, double> metrics_of(const Step& step) {
  const auto* const metered = dynamic_cast<const MeteredStep*>(&step);
  if (metered == nullptr) return {};
  auto metrics = metered->metrics();
  if (const auto bytes = peak_rss_bytes()) metrics["peak_rss_bytes"] = *bytes;
  return metrics;
}

void run_batch(Step& step, int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) {
    step.run();
    benchmark::ClobberMemory();
  }
}

template <class Run>
bool run_failed(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return static_cast<int>(run.skipped) != 0;  // since 1.8
  }
}

class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& report) override {
    for (const Run& run : report) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double divided_by =
          NSOP_BENCHMARK_DIVIDES_WALL ? static_cast<double>(run.threads) : 1.0;
      runs.push_back({run.benchmark_name(), run.iterations,
                      run.real_accumulated_time * 1e9 * divided_by, run_failed(run)});
    }
  }
  std::vector<EngineRun> runs;
};

void reset_flags() {
  std::array<std::string, 8> flags = {"nsop-worker",
                                      "--benchmark_list_tests=false",
                                      "--benchmark_enable_random_interleaving=false",
                                      "--benchmark_report_aggregates_only=false",
                                      "--benchmark_display_aggregates_only=false",
                                      "--benchmark_min_warmup_time=0",
                                      "--benchmark_perf_counters=",
                                      "--benchmark_out="};
  std::array<char*, 9> argv{};
  std::transform(flags.begin(), flags.end(), argv.begin(), [](auto& s) { return s.data(); });
  int argc = static_cast<int>(flags.size());
  benchmark::Initialize(&argc, argv.data());
}

// What one call of the engine did: its own report, and what we saw from inside the body.
struct Outcome {
  std::vector<EngineRun> runs;
  std::vector<Repetition> ours;
  std::string name;
  size_t matches = 0;
  std::exception_ptr thrown;
};

Outcome run_engine(Step& step, const Plan& plan, const PerfCounters* counters = nullptr) {
  const auto counted = [&] { return counters != nullptr ? counters->read() : PerfReading{}; };
  Outcome outcome;
  outcome.ours.reserve(static_cast<size_t>(plan.repetitions));
  const auto body = [&](benchmark::State& state) {
    try {
      const PerfReading counts = counted();
      const Reading start = Reading::start();
      for (auto _ : state) {
        step.run();  // a virtual call: its result can't be known, so it can't be removed
        benchmark::ClobberMemory();
      }
      const Reading stop = Reading::stop();
      outcome.ours.push_back(difference(start, stop, state.iterations()));
      Repetition& repetition = outcome.ours.back();
      repetition.metrics = counted_per_op(counts, counted(), state.iterations());
      repetition.metrics.merge(metrics_of(step));
    } catch (...) {
      // The engine does not expect exceptions; this one goes on once it has returned.
      outcome.thrown = std::current_exception();
      state.SkipWithError("the step threw");
    }
  };
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("nsop_step", body)
      ->Iterations(plan.iterations)
      ->Repetitions(plan.repetitions)
      ->Threads(1)
      ->UseRealTime();
  outcome.name = fmt::format("nsop_step/iterations:{}/repeats:{}/real_time/threads:1",
                             plan.iterations, plan.repetitions);
  Collector collector;
  outcome.matches = benchmark::RunSpecifiedBenchmarks(&collector, "^" + outcome.name + "$");
  benchmark::ClearRegisteredBenchmarks();
  outcome.runs = std::move(collector.runs);
  return outcome;
}

class EmptyStep : public Step {
 public:
  void run() override {}
  std::span<const float> output(size_t) const override { return {}; }
};

// Once per process: sets the flags back, and lets an empty run pay for what the first one costs
// (pages of the library, binding of symbols).
void prepare_engine() {
  static const bool done = [] {
    reset_flags();
    EmptyStep empty;
    run_engine(empty, {1, 1});
    return true;
  }();
  (void)done;
}

int64_t iterations_for(int64_t min_time_ns, double op_ns) {
  // A tenth more than calibrated, since a repetition may well run faster than the warm-up did.
  const double wanted = 1.1 * static_cast<double>(min_time_ns) / std::max(op_ns, 1e-3);
  return std::clamp(static_cast<int64_t>(std::ceil(wanted)), int64_t{1}, kMaxIterations);
}

}  // namespace

Plan warm_up(Step& step, const MeasureOptions& options) {
  if (options.warmup_ns == 0 && options.known_step_ns > options.min_time_ns) {
    return {1, options.slow_repetitions};
  }
  const int64_t cpu_start = process_cpu_ns(), wall_start = monotonic_ns();
  run_batch(step, 1);
  int64_t batch_ns = std::max<int64_t>(monotonic_ns() - wall_start, 1);
  // CPU time too, since on a busy machine the wall time of one operation is that of its
  // preemptions.
  int64_t once_ns = std::min(batch_ns, process_cpu_ns() - cpu_start);
  if (options.known_step_ns > 0) once_ns = std::min(once_ns, options.known_step_ns);
  if (once_ns > options.min_time_ns) return {1, options.slow_repetitions};

  // Batches grow to a tenth of a repetition; from there on the fastest one gives the time of one
  // operation, free of the cost of reading the clock.
  const int64_t long_enough = std::max<int64_t>(options.min_time_ns / 10, 1);
  int64_t batch = 1;
  double op_ns = 0;
  const auto warm = [&] {
    return process_cpu_ns() - cpu_start >= options.warmup_ns ||
           monotonic_ns() - wall_start >= 10 * options.warmup_ns;
  };
  while (op_ns == 0 || !warm()) {
    const int64_t start = monotonic_ns();
    run_batch(step, batch);
    batch_ns = std::max<int64_t>(monotonic_ns() - start, 1);
    if (batch_ns >= long_enough || batch >= kMaxIterations) {
      const double each = static_cast<double>(batch_ns) / static_cast<double>(batch);
      op_ns = op_ns == 0 ? each : std::min(op_ns, each);
    } else {
      batch *= 2;
    }
  }
  // It uses little CPU and yet takes long: it waits.
  if (op_ns > static_cast<double>(options.min_time_ns)) return {1, options.slow_repetitions};
  return {iterations_for(options.min_time_ns, op_ns), options.repetitions};
}

std::vector<Repetition> time_plan(Step& step, const Plan& plan, bool counters) {
  prepare_engine();
  std::optional<PerfCounters> open;
  if (counters) open.emplace();
  Outcome outcome = run_engine(step, plan, open ? &*open : nullptr);
  if (outcome.thrown) std::rethrow_exception(outcome.thrown);
  check_runs(outcome.runs, outcome.ours, plan, outcome.name, outcome.matches);
  cross_check(outcome.runs, outcome.ours);
  for (size_t i = 0; i < outcome.ours.size(); ++i) {
    outcome.ours[i].wall_ns = std::llround(outcome.runs[i].wall_ns);
  }
  keep_common_counts(outcome.ours);
  return std::move(outcome.ours);
}

std::vector<Repetition> measure(Step& step, const MeasureOptions& options) {
  return time_plan(step, warm_up(step, options), options.counters);
}

std::string engine_version() { return "google-benchmark " NSOP_BENCHMARK_VERSION; }

}  // namespace nsop::worker
