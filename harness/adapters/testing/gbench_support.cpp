// nsop-test-gbench: a program of Google Benchmark as other projects have them. No header: it is a
// program of its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

// NOLINTBEGIN(readability-identifier-naming): named as projects of Google Benchmark name theirs

template <typename T>
void BM_Sum(benchmark::State& state) {
  std::vector<T> values(static_cast<size_t>(state.range(0)));
  std::iota(values.begin(), values.end(), T{1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), T{0}));
  }
}
BENCHMARK_TEMPLATE(BM_Sum, int)->Arg(64)->Arg(4096);
BENCHMARK_TEMPLATE(BM_Sum, double)->Arg(4096)->UseRealTime();

void BM_Sort(benchmark::State& state) {
  std::vector<int> values(1000);
  for (auto _ : state) {
    std::iota(values.rbegin(), values.rend(), 0);
    std::sort(values.begin(), values.end());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Sort)->Name("sort, \"backwards\" (1000)");
BENCHMARK(BM_Sort)->Name("BM_Sort/kept")->Repetitions(3)->ReportAggregatesOnly(true);

// 3 allocations of 300 bytes in an operation, and one that isn't timed.
void BM_Allocate(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < 3; ++i) {
      std::vector<char> bytes(100);
      benchmark::DoNotOptimize(bytes.data());
    }
    state.PauseTiming();
    std::vector<char> other(5000);
    benchmark::DoNotOptimize(other.data());
    state.ResumeTiming();
  }
}
BENCHMARK(BM_Allocate)->Iterations(20);
BENCHMARK(BM_Allocate)->Name("BM_Allocate/two")->Iterations(20)->Threads(2);

// NOLINTEND(readability-identifier-naming)

}  // namespace

BENCHMARK_MAIN();
