// The parts of the fixture with other libraries, limits and goals, declared in report_support.h.
#include <fmt/format.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

struct Stream {
  const char* kind;
  double bytes_per_n;
  double written;      // share
  double gb_per_s[4];  // L1, L2, L3, DRAM
};

// L1d 32 KiB, L2 256 KiB, L3 9 MiB.
constexpr Stream kStreams[] = {{"read", 4, 0, {200, 100, 80, 20}},
                               {"write", 4, 1, {100, 50, 40, 10}},
                               {"copy", 8, 0.5, {200, 100, 80, 20}},
                               {"triad", 12, 1.0 / 3, {240, 120, 80, 20}}};
constexpr int kCounts[] = {2000, 20'000, 400'000, 8'000'000};

RowKey ours(const std::string& case_text, int threads = 1) {
  return {case_text, "hwy", "AVX2", threads};
}

}  // namespace

FakeRun& add_limits(FakeRun& fake) {
  for (const Stream& stream : kStreams) {
    for (int level = 0; level < 4; ++level) {
      const int n = kCounts[level];
      const auto text = fmt::format("stream kind={} n={}", stream.kind, n);
      const double bytes = stream.bytes_per_n * n;
      fake.facts(text, {0, 0, bytes, bytes, bytes * stream.written});
      fake.time(ours(text), bytes / stream.gb_per_s[level], 8, 0);
      if (level >= 2) fake.time(ours(text, 2), bytes / stream.gb_per_s[level] / 1.5, 8, 0);
    }
  }
  fake.facts("peak_flops", {1e7, 5e6, 1e5, 1e5, 5e4});
  for (const int threads : {1, 2}) {
    fake.time(ours("peak_flops", threads), 1e7 / 100 / threads, 8, 0);
    fake.time({"peak_flops", "hwy", "SCALAR", threads}, 1e7 / 10 / threads, 8, 0);
  }
  fake.facts("nop", {0, 0, 8, 8, 4});
  fake.time({"nop", "call", "x86-64", 1}, 2, 8, 0);
  return fake;
}

Suite limits_suite() {
  return parse_suite(R"([report]
name = "limits"
title = "What the machine can do"
form = "limits"
after = "hwy"

[[cases]]
label = "Multiply-adds"
section = "Arithmetic"
case = "peak_flops"
threads = [1, 2]
variants = ["hwy@AVX3", "hwy@AVX2", "hwy@SCALAR"]

[[cases]]
label = "Call"
section = "Overhead"
case = "nop"
variants = ["call"]

[[cases]]
label = "Copy"
section = "Bandwidth"
case = "stream kind=copy n=2000,20000,400000,8000000"
)",
                     "limits.toml", suite_forms());
}

FakeRun limits_run() {
  FakeRun fake("55555555-5555-4555-8555-555555555555");
  add_limits(fake);
  return fake;
}

Suite threads_suite() {
  return parse_suite(R"([report]
name = "threads"
title = "From which size on threads pay"
form = "threads"
before = "hwy"
after = "forked"

[[cases]]
label = "Fork and join"
section = "Fork and join"
case = "fork_join parts=2"
threads = [1, 2]
variants = ["pool"]

[[cases]]
label = "ReLU"
case = "relu pass=forward n=1024,4096,8192,65536 range=-3:3"
threads = [1, 2]

[[cases]]
label = "Add"
case = "add n=1024,4096,8192,65536"
threads = [1, 2]

[[cases]]
label = "GEMM"
case = "matmul m=16 n=16 k=16 trans=nn"
threads = [1, 2]

[[thresholds]]
name = "kArithmeticElements"
unit = "elements"
about = "Arithmetic on elements"
on = ["relu", "add"]

[[thresholds]]
name = "kProductMacs"
unit = "macs"
about = "Matrix products"
on = "matmul"
)",
                     "threads.toml", suite_forms());
}

FakeRun threads_run() {
  FakeRun fake("77777777-7777-4777-8777-777777777777");
  fake.facts("fork_join parts=2", {0, 0, 256, 256, 128});
  fake.time({"fork_join parts=2", "pool", "x86-64", 1}, 5)
      .time({"fork_join parts=2", "pool", "x86-64", 2}, 250);
  const auto shared = [&](const std::string& text, double ns, double fork_ns) {
    fake.time({text, "hwy", "AVX2", 1}, ns, 8, 0.002);
    fake.fail({text, "forked", "AVX2", 1}, Status::kUnsupported, "one thread shares nothing");
    fake.time({text, "forked", "AVX2", 2}, ns / 2 + fork_ns, 8, 0.004);
  };
  for (const int n : {1024, 4096, 8192, 65536}) {
    shared(fmt::format("relu pass=forward n={} range=-3:3", n), 0.07 * n, 150);  // from 4286 on
    shared(fmt::format("add n={}", n), 0.1 * n, 150);                            // from 3000 on
  }
  shared("matmul m=16 n=16 k=16 trans=nn", 120, 250);
  fake.facts("matmul m=16 n=16 k=16 trans=nn", {8192, 4096, 3072, 3072, 1024});
  return fake;
}

FakeRun threads_run_with(const std::vector<double>& ratios) {
  FakeRun fake("77777777-7777-4777-8777-777777777777");
  size_t next = 0;
  const auto shared = [&](const std::string& text) {
    fake.time({text, "hwy", "AVX2", 1}, 1000, 8, 0.02);
    fake.time({text, "forked", "AVX2", 2}, 1000 * ratios.at(next++ % ratios.size()), 8, 0.05);
  };
  for (const int n : {1024, 4096, 8192, 65536}) {
    shared(fmt::format("relu pass=forward n={} range=-3:3", n));
    shared(fmt::format("add n={}", n));
  }
  shared("matmul m=16 n=16 k=16 trans=nn");
  fake.facts("matmul m=16 n=16 k=16 trans=nn", {8192, 4096, 3072, 3072, 1024});
  return fake;
}

Suite peers_suite() {
  return parse_suite(R"([report]
name = "frameworks"
title = "Layers against other libraries"
form = "peers"
before = "elementwise"
after = "hwy"
peers = ["numpy", "torch", "onednn", "onednn_blocked"]

[[cases]]
label = "Add"
section = "Element-wise"
case = "add n=1000,2000000"
threads = [1, 2]

[[cases]]
label = "GEMM"
section = "Products"
case = "matmul m=256 n=256 k=256 trans=nn"

[[cases]]
label = "Softmax"
section = "Products"
case = "softmax pass=forward n=32x128 axis=1"

[[goals]]
that = "hwy <= 1.0 x best_peer"
on = ["add n=*", "matmul"]
note = "tried wider tiles"

[[goals]]
that = "hwy <= 2.0 x numpy"
on = "*"
threads = [1]

[[goals]]
that = "bandwidth >= 90 %"
on = "add n=2000000"

[[reasons]]
on = "matmul"
goals = "hwy <= 1.0 x best_peer"
why = """onednn packs both sides
beforehand."""
tried = "larger panels: 2 % slower."

[[reasons]]
on = "add n=1000"
why = "The call itself."
)",
                     "frameworks.toml", suite_forms());
}

FakeRun peers_run() {
  FakeRun fake("66666666-6666-4666-8666-666666666666");
  add_limits(fake);
  const auto peer = [](const std::string& text, const std::string& name, int threads = 1) {
    return RowKey{text, name, "1.0", threads};
  };
  for (const int threads : {1, 2}) {
    const std::string small = "add n=1000", large = "add n=2000000";
    fake.facts(small, {1e3, 0, 12e3, 12e3, 4e3}).facts(large, {2e6, 0, 24e6, 24e6, 8e6});
    fake.time(ours(small, threads), 55).time(ours(large, threads), 1'240'000.0 / threads);
    if (threads == 1) fake.time({small, "elementwise", "BASELINE", 1}, 900);
    fake.time(peer(small, "numpy", threads), 450).time(peer(small, "torch", threads), 1'100);
    fake.time(peer(large, "numpy", threads), 1'280'000);
    fake.time(peer(large, "torch", threads), 1'220'000);
    for (const std::string& text : {small, large}) {
      for (const std::string name : {"onednn", "onednn_blocked"}) {
        fake.fail(peer(text, name, threads), Status::kUnsupported, "onednn has no op add");
      }
    }
  }
  const std::string gemm = "matmul m=256 n=256 k=256 trans=nn";
  fake.facts(gemm, {33'554'432, 16'777'216, 786'432, 786'432, 262'144});
  fake.time(ours(gemm), 380'000).chose("gemm 6x16");
  fake.time({gemm, "elementwise", "BASELINE", 1}, 25e6);
  fake.time(peer(gemm, "numpy"), 372'000).time(peer(gemm, "torch"), 395'000);
  fake.time(peer(gemm, "onednn"), 362'000).chose("brgemm:avx2; plain");
  fake.time(peer(gemm, "onednn_blocked"), 340'000).chose("brgemm:avx2; packed weights");
  const std::string softmax = "softmax pass=forward n=32x128 axis=1";
  fake.facts(softmax, {8e4, 0, 32'768, 32'768, 16'384}).time(ours(softmax), 3'000);
  fake.fail(peer(softmax, "numpy"), Status::kWrong, "output 0 (y) at index 3: got 1, expected 0.1");
  fake.time(peer(softmax, "torch"), 6'000);
  for (const std::string name : {"onednn", "onednn_blocked"}) {
    fake.fail(peer(softmax, name), Status::kUnsupported, "onednn has no op softmax");
  }
  return fake;
}

}  // namespace nsop::report
