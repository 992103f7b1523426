#include "kernels/runtime/thread_pool.h"

#include <hwy/cache_control.h>
#include <sched.h>

#include <cassert>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace nsop::kernels {
namespace {

// Long enough for the next step of a tight loop to find its helpers awake, short enough not to burn
// a CPU between cases.
constexpr std::chrono::microseconds kSpinTime{50};

thread_local bool wants_eager = false;

int allowed_cpus() {
#if defined(__EMSCRIPTEN__)
  return 1;
#else
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set);
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads, Forks forks)
    : threads_(threads), eager_(forks == Forks::kEager), may_spin_(threads <= allowed_cpus()) {
  assert(threads >= 1);
  helpers_.reserve(static_cast<size_t>(threads - 1));
  for (int thread = 1; thread < threads; ++thread) {
    helpers_.emplace_back([this, thread] { helper_loop(thread); });
  }
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::fork_join(const Task& task) {
  task_ = task;
  running_.store(static_cast<uint32_t>(threads_ - 1), std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  do_share(0);
  uint32_t running = running_.load(std::memory_order_acquire);
  while (running != 0) running = wait_until_changed(running_, running);
}

void ThreadPool::do_share(int thread) const {
  const Range share = split_range(static_cast<size_t>(task_.parts), 1,
                                  static_cast<size_t>(threads_), static_cast<size_t>(thread));
  for (size_t part = share.begin; part < share.end; ++part) {
    task_.call(task_.callable, static_cast<int>(part), thread);
  }
}

void ThreadPool::helper_loop(int thread) {
  uint32_t seen = 0;
  while (true) {
    seen = wait_until_changed(epoch_, seen);
    if (stop_) return;
    do_share(thread);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

uint32_t ThreadPool::wait_until_changed(const std::atomic<uint32_t>& value, uint32_t old) const {
  using Clock = std::chrono::steady_clock;
  if (may_spin_) {
    const Clock::time_point end = Clock::now() + kSpinTime;
    do {
      for (int i = 0; i < 32; ++i) {
        const uint32_t now = value.load(std::memory_order_acquire);
        if (now != old) return now;
        hwy::Pause();
      }
    } while (Clock::now() < end);
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

ThreadPool& serial_threads() {
  static ThreadPool thread_pool(1);
  return thread_pool;
}

ThreadPool& shared_threads(int threads) {
  static std::mutex mutex;
  static std::map<std::pair<int, bool>, std::unique_ptr<ThreadPool>> pools;
  const std::lock_guard lock(mutex);
  std::unique_ptr<ThreadPool>& thread_pool = pools[{threads, wants_eager}];
  if (!thread_pool) {
    const ThreadPool::Forks forks =
        wants_eager ? ThreadPool::Forks::kEager : ThreadPool::Forks::kWorthwhile;
    thread_pool = std::make_unique<ThreadPool>(threads, forks);
  }
  return *thread_pool;
}

EagerThreadPools::EagerThreadPools() { wants_eager = true; }
EagerThreadPools::~EagerThreadPools() { wants_eager = false; }

}  // namespace nsop::kernels
