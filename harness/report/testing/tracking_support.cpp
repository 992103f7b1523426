// Releases of a tracking log, declared in report_support.h.
#include <fmt/format.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const std::string kSingle = "dqn updates=32 episodes=100";
const std::string kBatched = "dqn updates=1 episodes=100";
const std::string kDense = "dense pass=forward batch=32 in=256 out=512 bias=1";
const std::string kSoftmax = "softmax pass=forward n=32x128 axis=1";

RowKey hwy(const std::string& case_text) { return {case_text, "hwy", "AVX2", 1}; }
RowKey batched(const std::string& case_text) { return {case_text, "batched", "AVX2", 1}; }
RowKey pooled(const std::string& case_text) { return {case_text, "pooled", "AVX2", 1}; }

FakeRun run_of(int day) {
  FakeRun fake(fmt::format("66666666-6666-4666-8666-66666666660{}", day));
  fake.run.started_utc = fmt::format("2026-01-0{}T12:00:00Z", day);
  fake.run.ended_utc = fmt::format("2026-01-0{}T12:14:00Z", day);
  fake.build.commit = std::string(40, static_cast<char>('0' + day));
  return fake;
}

}  // namespace

Suite tracking_suite() {
  return parse_suite(R"([report]
name = "tracking"
title = "What each release brought"
about = "Two workloads over the releases."
form = "tracking"
after = "hwy"

[[cases]]
label = "Training"
case = "dqn updates=32 episodes=100"
variants = ["batched", "pooled"]

[[cases]]
label = "Training"
case = "dqn updates=1 episodes=100"
note = "One update with a batch of 32 is other work than 32 updates."
variants = ["batched"]

[[cases]]
label = "Dense"
operation = "Forward"
case = "dense pass=forward batch=32 in=256 out=512 bias=1"

[[cases]]
label = "Softmax"
case = "softmax pass=forward n=32x128 axis=1"
)",
                     "tracking.toml", suite_forms());
}

std::vector<Release> tracking_releases() {
  FakeRun first = run_of(1), second = run_of(2), third = run_of(3), last = run_of(4);
  first.time(batched(kSingle), 29.87e9).count(batched(kSingle), allocs(221'280, 35'229'480));
  first.time(hwy(kDense), 120'450).time(pooled(kSingle), 40e9);
  second.time(batched(kSingle), 24.3e9).time(hwy(kDense), 121'000);
  third.time(batched(kSingle), 24.4e9).time(batched(kBatched), 192e6);
  third.count(batched(kBatched), allocs(0, 0)).time(hwy(kDense), 60'000);
  third.time(hwy(kSoftmax), 2'500);
  last.time(batched(kBatched), 96e6).time(hwy(kDense), 61'000, 3);
  std::vector<Release> releases = {
      {"v0.1.0", "first release", first.data(), {"Added: The functional implementation."}},
      {"v0.1.1", "", second.data(), {"Loops unrolled.", "Indices computed once."}},
      {"v0.2.0", "batched training", third.data(), {}},
      {"this run", "", last.data(), {"Changed: Kernels | of `layers`."}}};
  for (stats::RowSummary& row : releases[2].data.rows) {
    if (row.row.case_text == kDense) row.inputs_sha256 = std::string(64, 'f');
  }
  return releases;
}

}  // namespace nsop::report
