// Runs under LD_PRELOAD=libnsop_alloc.so: exact counts of every allocation function.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "harness/worker/allocs/alloc_counter.h"

namespace nsop::worker {
namespace {

// Volatile sinks: an allocation whose result nobody could see may be removed by the compiler.
void* volatile sink;
void* see(void* p) {
  sink = p;
  return sink;
}
// Read at run time, so that no call is evaluated by the compiler.
volatile size_t huge = SIZE_MAX / 2;

NsopAllocTotals count(const std::function<void()>& code) {
  const auto hook = find_alloc_hook();
  if (!hook) throw std::runtime_error("this test runs under LD_PRELOAD=libnsop_alloc.so");
  return count_allocs(*hook, code);
}

struct alignas(256) OverAligned {
  char bytes[512];
};

struct Probe {
  const char* name;
  std::function<void()> code;
  int64_t allocs, frees, bytes;
};
std::ostream& operator<<(std::ostream& out, const Probe& probe) { return out << probe.name; }

void use_posix_memalign() {
  void* p = nullptr;
  if (posix_memalign(&p, 64, 300) == 0) std::free(see(p));
}
void use_realloc() {
  void* p = see(std::realloc(nullptr, 10));
  p = see(std::realloc(p, 1000));
  std::free(see(std::realloc(p, 20)));
}
void use_realloc_to_zero() {
  void* const p = see(std::malloc(10));
  sink = std::realloc(p, 0);  // glibc: frees and returns null
}

std::vector<Probe> probes() {
  return {
      {"nothing", [] {}, 0, 0, 0},
      {"malloc", [] { std::free(see(std::malloc(100))); }, 1, 1, 100},
      {"malloc_zero", [] { std::free(see(std::malloc(0))); }, 1, 1, 0},
      {"free_null", [] { std::free(see(nullptr)); }, 0, 0, 0},
      {"calloc", [] { std::free(see(std::calloc(3, 7))); }, 1, 1, 21},
      {"realloc", use_realloc, 3, 3, 1030},
      {"realloc_to_zero", use_realloc_to_zero, 1, 1, 10},
      {"reallocarray", [] { std::free(see(reallocarray(nullptr, 5, 11))); }, 1, 1, 55},
      {"memalign", [] { std::free(see(memalign(64, 130))); }, 1, 1, 130},
      {"aligned_alloc", [] { std::free(see(std::aligned_alloc(64, 128))); }, 1, 1, 128},
      {"posix_memalign", use_posix_memalign, 1, 1, 300},
      {"valloc", [] { std::free(see(valloc(70))); }, 1, 1, 70},
      {"pvalloc", [] { std::free(see(pvalloc(80))); }, 1, 1, 80},
      {"new", [] { ::operator delete(see(::operator new(40))); }, 1, 1, 40},
      {"new_array", [] { ::operator delete[](see(::operator new[](48))); }, 1, 1, 48},
      {"new_nothrow", [] { ::operator delete(see(::operator new(56, std::nothrow))); }, 1, 1, 56},
      {"new_aligned", [] { delete static_cast<OverAligned*>(see(new OverAligned)); }, 1, 1, 512},
      {"strdup", [] { std::free(see(strdup("seven!!"))); }, 1, 1, 8},
      {"string", [] { see(std::string(99, 'x').data()); }, 1, 1, 100},
      {"vector", [] { see(std::vector<float>(25).data()); }, 1, 1, 100},
      {"mapped", [] { std::free(see(std::malloc(size_t{8} << 20))); }, 1, 1, int64_t{8} << 20},
      {"malloc_fails", [] { sink = std::malloc(huge + huge / 2); }, 0, 0, 0},
      {"calloc_overflows", [] { sink = std::calloc(huge, 4); }, 0, 0, 0},
  };
}

class AllocFunction : public testing::TestWithParam<Probe> {};

TEST_P(AllocFunction, IsCountedExactly) {
  const Probe& probe = GetParam();
  for (int round = 0; round < 2; ++round) {
    const NsopAllocTotals got = count(probe.code);
    EXPECT_EQ(got.allocs, probe.allocs);
    EXPECT_EQ(got.frees, probe.frees);
    EXPECT_EQ(got.requested_bytes, probe.bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, AllocFunction, testing::ValuesIn(probes()),
                         [](const auto& probe) { return std::string(probe.param.name); });

TEST(AllocHook, PassesTheCanary) {
  ASSERT_TRUE(find_alloc_hook().has_value());
  EXPECT_EQ(canary_failure(*find_alloc_hook()), "");
}

TEST(AllocHook, FailedReallocKeepsItsBlock) {
  void* p = see(std::malloc(64));
  void* q = p;
  const NsopAllocTotals got = count([&] { q = see(std::realloc(p, huge + huge / 2)); });
  EXPECT_EQ(q, nullptr);
  EXPECT_EQ(got.allocs, 0);
  EXPECT_EQ(got.frees, 0);
  std::free(p);
}

TEST(AllocHook, KeepsTheErrorsOfTheFunctionsThatItReplaces) {
  void* p = nullptr;
  EXPECT_EQ(posix_memalign(&p, 3, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&p, 24, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&p, 64, huge + huge / 2), ENOMEM);
  errno = 0;
  EXPECT_EQ(reallocarray(nullptr, huge, 4), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(AllocHook, HonoursAlignment) {
  void* p = nullptr;
  ASSERT_EQ(posix_memalign(&p, 4096, 10), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 4096, 0u);
  std::free(p);
  p = std::aligned_alloc(512, 512);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 512, 0u);
  std::free(p);
}

TEST(AllocHook, SumsOverMoreThreadsThanShards) {
  constexpr int kThreads = 80, kEach = 500;
  std::atomic<int> ready{0}, done{0};
  std::atomic<bool> go{false}, leave{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ready.fetch_add(1);
      while (!go) std::this_thread::yield();
      for (int i = 0; i < kEach; ++i) {
        void* volatile p = std::malloc(24);
        std::free(p);
      }
      done.fetch_add(1);
      // Ending a thread frees memory: not while counting.
      while (!leave) std::this_thread::yield();
    });
  }
  while (ready < kThreads) std::this_thread::yield();
  const NsopAllocTotals got = count([&] {
    go = true;
    while (done < kThreads) std::this_thread::yield();
  });
  leave = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got.allocs, int64_t{kThreads} * kEach);
  EXPECT_EQ(got.frees, int64_t{kThreads} * kEach);
  EXPECT_EQ(got.requested_bytes, int64_t{kThreads} * kEach * 24);
}

TEST(AllocHook, PeakIsTheMostThatWasLiveAtOnce) {
  const int64_t both = count([] {
                         void* const a = see(std::malloc(10'000));
                         void* const b = see(std::malloc(20'000));
                         std::free(a);
                         std::free(b);
                       }).peak_live_bytes;
  const int64_t in_turn = count([] {
                            std::free(see(std::malloc(10'000)));
                            std::free(see(std::malloc(20'000)));
                          }).peak_live_bytes;
  EXPECT_GE(both, 30'000);
  EXPECT_GE(in_turn, 20'000);
  EXPECT_LT(in_turn, 30'000);
}

TEST(AllocHook, PeakIsAboveTheLevelAtTheStart) {
  void* const before = see(std::malloc(50'000));
  const NsopAllocTotals got = count([&] {
    std::free(before);
    std::free(see(std::malloc(30'000)));
  });
  EXPECT_EQ(got.frees, 2);
  EXPECT_EQ(got.peak_live_bytes, 0);
}

TEST(AllocHook, NothingIsCountedAfterwards) {
  const auto hook = find_alloc_hook();
  ASSERT_TRUE(hook.has_value());
  const NsopAllocTotals got = count([] { std::free(see(std::malloc(10))); });
  std::free(see(std::malloc(1000)));
  NsopAllocTotals later{};
  hook->snap(&later);
  EXPECT_EQ(later.allocs, got.allocs);
  EXPECT_EQ(later.requested_bytes, got.requested_bytes);
}

}  // namespace
}  // namespace nsop::worker
