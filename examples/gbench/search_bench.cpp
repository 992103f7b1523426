// Two ways to find a number among sorted ones, as a program of Google Benchmark.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

std::vector<int> even_numbers(std::int64_t n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(2 * i);
  return numbers;
}

void linear_search(benchmark::State& state) {
  const std::vector<int> numbers = even_numbers(state.range(0));
  int wanted = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::find(numbers.begin(), numbers.end(), wanted));
    wanted = (wanted + 38) % static_cast<int>(2 * state.range(0));
  }
}
BENCHMARK(linear_search)->Arg(16)->Arg(256);

void binary_search(benchmark::State& state) {
  const std::vector<int> numbers = even_numbers(state.range(0));
  int wanted = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::lower_bound(numbers.begin(), numbers.end(), wanted));
    wanted = (wanted + 38) % static_cast<int>(2 * state.range(0));
  }
}
BENCHMARK(binary_search)->Arg(16)->Arg(256);

}  // namespace
