// The fixture of the form workload, a loop of each kind of work, declared in report_support.h.
#include "harness/report/forms/forms.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const std::string kCase = "dqn2048 updates=1 episodes=100";
const std::string kOther = "dqn2048 updates=32 episodes=100";

}  // namespace

Suite workload_suite() {
  return parse_suite(R"([report]
name = "dqn"
title = "A training loop"
form = "workload"
before = "functional"
after = "batched"

[[cases]]
label = "Loop"
case = "dqn2048 updates=1 episodes=100"

[[cases]]
label = "Loop"
case = "dqn2048 updates=32 episodes=100"

[[goals]]
that = "allocs = 0"
on = "dqn2048 updates=1"

[[goals]]
that = "functional: episodes_per_s >= 100"
on = "dqn2048"
source = "A log, phase 4."

[[goals]]
that = "functional: peak_bytes <= 64 MB"
on = "dqn2048"

[[goals]]
that = "ms <= 4"
on = "dqn2048 updates=1"
)",
                     "workload.toml", suite_forms());
}

namespace {

FakeRun& add_loop(FakeRun& run, const RowKey& key, double ns, double last_tenth_ns) {
  AllocCounts counts;
  counts.allocs_per_op = 70000;
  counts.bytes_per_op = 100 * 4096;
  counts.peak_live_bytes = 3 * 1024;
  run.count(key, counts);
  run.time(key, ns);
  return run.metric("episodes", 100, 0)
      .metric("moves", 12000, 0)
      .metric("training_calls", 100, 0)
      .metric("train_call_ns", 25000)
      .metric("train_first_tenth_ns", 25000)
      .metric("train_last_tenth_ns", last_tenth_ns)
      .metric("peak_rss_bytes", 48 << 20, 0);
}

}  // namespace

FakeRun workload_run() {
  FakeRun run("workload");
  add_loop(run, {kCase, "functional", "x86-64", 1}, 4e8, 26000);
  run.metric("pool_hits", 900, 0).metric("pool_misses", 100, 0);
  run.metric("pool_retained_bytes", 2048, 0);
  add_loop(run, {kCase, "batched", "AVX3", 1}, 4e6, 150000);
  run.metric("phase_play_ns", 1e6, 0.2).metric("phase_forward_ns", 5e5, 0);
  run.metric("phase_backward_ns", 5e5, 0);
  add_loop(run, {kOther, "functional", "x86-64", 1}, 8e8, 25000);
  run.fail({kOther, "batched", "AVX3", 1}, Status::kUnsupported, "one update per call");
  return run;
}

}  // namespace nsop::report
