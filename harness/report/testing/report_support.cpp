#include "harness/report/testing/report_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

const std::string kConvForward = "conv2d pass=forward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1";
const std::string kConvBackward = "conv2d pass=backward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1";
const std::string kSmallForward = "conv2d pass=forward in=1x3x28x28 out=16 k=3 s=1 p=1 bias=1";
const std::string kDenseForward = "dense pass=forward batch=32 in=256 out=512 bias=1";
const std::string kDenseBackward = "dense pass=backward batch=32 in=256 out=512 bias=1";

constexpr std::array kPattern{0.0, 0.7, -0.4, 0.2, 1.0, -0.8, 0.5, -0.1};

RowKey before(const std::string& case_text) { return {case_text, "elementwise", "BASELINE", 1}; }
RowKey after(const std::string& case_text, const std::string& target = "AVX2") {
  return {case_text, "hwy", target, 1};
}

Host fake_host() {
  Host host;
  host.id = std::string(64, 'a');
  host.cpu_vendor = "GenuineIntel";
  host.cpu_model = "Example CPU @ 2.20GHz";
  host.family = 6;
  host.model = 158;
  host.stepping = 10;
  host.sockets = 1;
  host.cores = 6;
  host.threads = 12;
  host.cache_bytes = {{"L1d", 32 << 10}, {"L2", 256 << 10}, {"L3", 9 << 20}};
  host.isa = {"avx", "avx2", "fma", "sse4_1", "sse4_2", "ssse3"};
  return host;
}

Build fake_build() {
  Build build;
  build.id = std::string(64, 'b');
  build.commit = "0123456789abcdef0123456789abcdef01234567";
  build.compiler = "g++ 12.2.0";
  build.flags = "-O2 -DNDEBUG";
  build.build_type = "Release";
  build.libc = "glibc 2.36";
  build.engine = "google-benchmark 1.7.1";
  build.binary_sha256 = std::string(64, 'c');
  build.reference_sha256 = std::string(64, 'd');
  return build;
}

}  // namespace

AllocCounts allocs(double count, double bytes) {
  AllocCounts out;
  out.allocs_per_op = count;
  out.bytes_per_op = bytes;
  return out;
}

const Json& table_with(const Json& section, const std::string& id) {
  for (const Json& table : section["tables"]) {
    for (const Json& column : table["columns"]) {
      if (column["id"] == id) return table;
    }
  }
  throw std::runtime_error("no table with column " + id);
}

const Json& cell_of(const Json& table, size_t row, const std::string& id) {
  for (size_t i = 0; i < table["columns"].size(); ++i) {
    if (table["columns"][i]["id"] == id) return table["rows"].at(row)["cells"][i];
  }
  throw std::runtime_error("no column " + id);
}

FakeRun::FakeRun(const std::string& id, const std::string& profile)
    : host(fake_host()), build(fake_build()) {
  run.id = id;
  run.host_id = host.id;
  run.profile = profile;
  run.started_utc = "2026-01-31T12:00:00Z";
  run.ended_utc = "2026-01-31T12:14:00Z";
  run.state = RunState::kComplete;
  run.tool_version = "0.1.0";
  run.conditions.kernel = "6.1.0";
  run.conditions.os = "Debian GNU/Linux 12";
  run.conditions.governor = "performance";
  run.conditions.turbo = "off";
  run.conditions.aslr = "full";
  run.conditions.load1 = 0.25;
}

Invocation& FakeRun::add(const RowKey& key, int round) {
  Invocation invocation;
  invocation.id = fmt::format("{}-{}", run.id, invocations_.size());
  invocation.run_id = run.id;
  invocation.build_id = build.id;
  invocation.row = key;
  invocation.round = round;
  invocation.inputs_sha256 = std::string(64, 'e');
  invocation.check.ok = true;
  invocation.check.max_abs_error = 1e-6;
  invocation.check.worst_over_tolerance = 0.05;
  invocations_.push_back(invocation);
  return invocations_.back();
}

FakeRun& FakeRun::time(const RowKey& key, double ns, int invocations, double spread) {
  for (int i = 0; i < invocations; ++i) {
    // Rows must not swing in step, or paired intervals would have no width.
    const size_t swing = static_cast<size_t>(i) + key.variant.size() + 3 * key.target.size();
    const double value = ns * (1 + spread * kPattern[swing % kPattern.size()]);
    const int64_t iterations = std::max<int64_t>(1, std::llround(2e6 / value));
    Repetition best;
    best.iterations = iterations;
    best.wall_ns = std::llround(value * static_cast<double>(iterations));
    best.process_cpu_ns = best.thread_cpu_ns = best.wall_ns;
    Repetition slower = best;
    slower.wall_ns = slower.process_cpu_ns = slower.thread_cpu_ns = best.wall_ns * 21 / 20;
    add(key, i).repetitions = {best, slower};
  }
  return *this;
}

FakeRun& FakeRun::count(const RowKey& key, const AllocCounts& counts) {
  Invocation& invocation = add(key, 0);
  invocation.phase = Phase::kCount;
  invocation.allocs = counts;
  return *this;
}

FakeRun& FakeRun::fail(const RowKey& key, Status status, const std::string& reason) {
  Invocation& invocation = add(key, 0);
  invocation.status = status;
  invocation.reason = reason;
  invocation.check.ok = status != Status::kWrong;
  if (status == Status::kWrong) invocation.check.worst_over_tolerance = 3.7;
  return *this;
}

FakeRun& FakeRun::warn(const std::string& warning) {
  invocations_.back().warnings.push_back(warning);
  return *this;
}

FakeRun& FakeRun::chose(const std::string& what) {
  for (Invocation& invocation : invocations_) {
    if (invocation.row == invocations_.back().row) invocation.chose = what;
  }
  return *this;
}

FakeRun& FakeRun::metric(const std::string& name, double value, double spread) {
  const RowKey key = invocations_.back().row;
  for (Invocation& invocation : invocations_) {
    if (invocation.row != key) continue;
    const size_t swing = static_cast<size_t>(invocation.round) + name.size();
    const double own = value * (1 + spread * kPattern[swing % kPattern.size()]);
    for (Repetition& repetition : invocation.repetitions) repetition.metrics[name] = own;
  }
  return *this;
}

FakeRun& FakeRun::facts(const std::string& case_text, const CaseFacts& facts) {
  run.facts[case_text] = facts;
  return *this;
}

RunData FakeRun::data() const { return {run, host, {build}, stats::summarize(invocations_)}; }

Suite before_after_suite() {
  return parse_suite(R"([report]
name = "conv"
title = "Convolution and dense layers, before and after"
about = """
The element-wise implementation against the vectorised one,
on the shapes of the layer benchmarks."""
form = "before_after"
before = "elementwise"
after = "hwy"

[[cases]]
label = "Conv2D"
operation = "Forward"
section = "Convolution"
case = "conv2d pass=forward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1"
note = "The 8x64x32x32 shape is the one of the published table."

[[cases]]
label = "Conv2D"
operation = "Backward"
section = "Convolution"
case = "conv2d pass=backward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1"

[[cases]]
label = "Conv2D small"
operation = "Forward"
section = "Convolution"
case = "conv2d pass=forward in=1x3x28x28 out=16 k=3 s=1 p=1 bias=1"

[[cases]]
label = "Dense"
operation = "Forward"
section = "Dense"
case = "dense pass=forward batch=32 in=256 out=512 bias=1"

[[cases]]
label = "Dense"
operation = "Backward"
section = "Dense"
case = "dense pass=backward batch=32 in=256 out=512 bias=1"

[[cases]]
label = "Dense"
operation = "Forward"
section = "Dense"
case = "dense pass=forward batch=64 in=256 out=512 bias=1"
)",
                     "conv.toml", suite_forms());
}

FakeRun before_after_run() {
  FakeRun fake("11111111-1111-4111-8111-111111111111");
  AllocCounts unsteady = allocs(2.5, 1024);
  unsteady.steady = false;
  AllocCounts with_first = allocs(0, 0);
  with_first.one_time_allocs = 3;
  with_first.one_time_bytes = 4096;
  fake.time(before(kConvForward), 1.25e9, 8, 0.004)
      .count(before(kConvForward), allocs(28, 27'269'160))
      .time(after(kConvForward), 18'304'271, 8)
      .chose("implicit GEMM 6x16")
      .count(after(kConvForward), with_first);
  fake.time(before(kConvBackward), 3.81e9, 3)
      .count(before(kConvBackward), allocs(221'280, 35'229'480))
      .time(after(kConvBackward), 54'902'113, 8)
      .count(after(kConvBackward), allocs(92, 27'856'576));
  fake.time(before(kSmallForward), 612'345, 8)
      .warn(
          "7 % of the time of even the fastest repetitions was lost: the thread waited or its "
          "CPU was taken away")
      .count(before(kSmallForward), allocs(2, 50'176))
      .time(after(kSmallForward), 611'002, 8, 0.05)
      .count(after(kSmallForward), allocs(0, 0));
  fake.time(before(kDenseForward), 1'204'500, 8)
      .count(before(kDenseForward), allocs(0, 0))
      .time(after(kDenseForward), 13'121'700, 8)
      .count(after(kDenseForward), unsteady);
  fake.time(before(kDenseBackward), 2'610'000, 8)
      .fail(after(kDenseBackward), Status::kWrong,
            "output 1 (dW) at index 17: got 0.25, expected 0.5, allowed 1e-05");
  fake.facts(kConvForward, {1.2e9, 603'979'776, 6.6e6, 6.6e6});
  return fake;
}

FakeRun before_after_previous() {
  FakeRun fake("00000000-0000-4000-8000-000000000000");
  fake.run.started_utc = "2026-01-30T12:00:00Z";
  fake.run.ended_utc = "2026-01-30T12:14:00Z";
  fake.time(after(kConvForward), 36'600'000, 8);
  fake.time(after(kConvBackward), 54'950'000, 8);
  fake.time(after(kDenseForward), 9'100'000, 8);
  return fake;
}

Suite sweep_suite() {
  return parse_suite(R"([report]
name = "activations"
title = "Activation functions over size and instruction set"
form = "sweep"
before = "elementwise"
after = "hwy"
targets = ["AVX3", "AVX2", "SSE4", "SCALAR"]

[[cases]]
label = "ReLU"
operation = "Forward"
case = "relu pass=forward n=10000 range=-3:3"

[[cases]]
label = "ReLU"
operation = "Forward"
case = "relu pass=forward n=100,1000000 range=-3:3"

[[cases]]
label = "tanh"
operation = "Forward"
case = "tanh pass=forward n=100,10000,1000000 range=-3.0:3"
)",
                     "activations.toml", suite_forms());
}

FakeRun sweep_run() {
  FakeRun fake("22222222-2222-4222-8222-222222222222");
  struct Target {
    std::string name;
    double ns_per_element;
  };
  const std::array<Target, 3> targets{{{"AVX2", 0.04}, {"SSE4", 0.08}, {"SCALAR", 0.4}}};
  for (const std::string op : {"relu", "tanh"}) {
    const double cost = op == "relu" ? 1 : 12;
    for (const int n : {100, 10'000, 1'000'000}) {
      const auto text = fmt::format("{} pass=forward n={} range=-3:3", op, n);
      const double memory_ns = n == 1'000'000 ? 60'000 : 0;
      fake.time(before(text), 40 + cost * 0.9 * n + 3 * memory_ns)
          .count(before(text), allocs(1, 4.0 * n));
      fake.fail(after(text, "AVX3"), Status::kUnsupported, "this CPU has no AVX3");
      for (const Target& target : targets) {
        fake.time(after(text, target.name), 6 + cost * target.ns_per_element * n + memory_ns)
            .count(after(text, target.name), allocs(0, 0));
      }
    }
  }
  return fake;
}

Suite matched_suite() {
  return parse_suite(R"([report]
name = "matched"
title = "Layers of equal input and output size"
form = "matched"
before = "elementwise"
after = "hwy"

[[cases]]
label = "Dense"
operation = "Forward"
case = "dense pass=forward batch=1 in=1024 out=32 bias=1"

[[cases]]
label = "Conv2D"
operation = "Forward"
case = "conv2d pass=forward in=1x1x32x32 out=32 k=3,5,7 s=1 p=1 bias=1"
relative_to = "Dense"
note = "A convolution of this size does 9 to 49 times the work of the dense layer."
)",
                     "matched.toml", suite_forms());
}

FakeRun matched_run() {
  FakeRun fake("33333333-3333-4333-8333-333333333333");
  const std::string dense = "dense pass=forward batch=1 in=1024 out=32 bias=1";
  fake.time(before(dense), 57'723)
      .time(after(dense), 2'310)
      .facts(dense, {65'536, 32'768, 1e5, 1e5});
  fake.count(before(dense), allocs(2, 256)).count(after(dense), allocs(0, 0));
  for (const int k : {3, 5, 7}) {
    const auto text = fmt::format("conv2d pass=forward in=1x1x32x32 out=32 k={} s=1 p=1 bias=1", k);
    const double macs = 32'768.0 * k * k;
    fake.time(before(text), 2 * macs).time(after(text), 0.09 * macs + 4'000);
    fake.count(before(text), allocs(9, 131'072)).count(after(text), allocs(0, 0));
    fake.facts(text, {2 * macs, macs, 1.4e5, 1.4e5});
  }
  return fake;
}

}  // namespace nsop::report
