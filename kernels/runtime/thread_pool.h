// A persistent thread pool for kernels: fork and join without allocation, with a partition that
// depends only on the number of parts and threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace nsop::kernels {

class ThreadPool {
 public:
  // Whether kernels keep work that is too little for a fork on one thread: kEager makes them fork
  // for any work, which is how the thresholds themselves are measured.
  enum class Forks { kWorthwhile, kEager };

  // Starts threads - 1 helpers (the caller of parallel() is the first thread); with one thread
  // none is ever created. `threads` must be at least 1 (assert).
  explicit ThreadPool(int threads, Forks forks = Forks::kWorthwhile);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // The least work per thread that is worth a fork here: `threshold` (see
  // kernels/runtime/thresholds.h), or 1 in an eager pool.
  size_t least(size_t threshold) const { return eager_ ? 1 : threshold; }

  // Calls fn(part, thread) once for every part in [0, parts) and returns when all are done. Thread
  // t does a contiguous share of the parts in ascending order. Allocates nothing. fn must not throw
  // and must not use this pool; only one caller at a time.
  template <class Fn>
  void parallel(int parts, Fn&& fn) {
    if (threads_ == 1 || parts <= 1) {
      for (int part = 0; part < parts; ++part) fn(part, 0);
      return;
    }
    using Callable = std::remove_reference_t<Fn>;
    const auto call = [](const void* callable, int part, int thread) {
      (*static_cast<Callable*>(const_cast<void*>(callable)))(part, thread);
    };
    fork_join({call, &fn, parts});
  }

 private:
  struct Task {
    void (*call)(const void* callable, int part, int thread) = nullptr;
    const void* callable = nullptr;
    int parts = 0;
  };

  void fork_join(const Task& task);
  void do_share(int thread) const;
  void helper_loop(int thread);
  uint32_t wait_until_changed(const std::atomic<uint32_t>& value, uint32_t old) const;

  int threads_;
  bool eager_;
  bool may_spin_;  // false when there are fewer CPUs than threads
  Task task_;
  bool stop_ = false;
  alignas(64) std::atomic<uint32_t> epoch_{0};    // counts tasks; helpers wait for its next value
  alignas(64) std::atomic<uint32_t> running_{0};  // helpers that haven't finished the task
  std::vector<std::thread> helpers_;
};

// The process-wide pool of so many threads, made at its first use and kept. Get it while preparing,
// not in a timed step.
ThreadPool& shared_threads(int threads);

// While one lives, shared_threads() gives eager pools to this thread.
class EagerThreadPools {
 public:
  EagerThreadPools();
  ~EagerThreadPools();
  EagerThreadPools(const EagerThreadPools&) = delete;
  EagerThreadPools& operator=(const EagerThreadPools&) = delete;
};

// The pool of one thread, for work that already runs on a thread of another pool. It has no state:
// any number of threads may use it at once.
ThreadPool& serial_threads();

// The half-open range of items [begin, end).
struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Part number `part` of `items` divided into `parts` nearly equal ranges, the first ones the
// larger, whose borders are multiples of `granule` (but for the last end).
inline Range split_range(size_t items, size_t granule, size_t parts, size_t part) {
  const size_t units = (items + granule - 1) / granule;
  const auto border = [&](size_t i) {
    return std::min(items, (units * i + parts - 1) / parts * granule);
  };
  return {border(part), border(part + 1)};
}

// How many parts `work` is worth: at most one per thread, and none with much less than
// thread_pool.least(threshold) of it. No division when the answer is 1, which may be a matter of
// nanoseconds.
inline size_t worthwhile_parts(const ThreadPool& thread_pool, size_t work, size_t threshold) {
  if (thread_pool.threads() == 1) return 1;
  const size_t least = thread_pool.least(threshold);
  if (work < 2 * least) return 1;
  return std::min(static_cast<size_t>(thread_pool.threads()), work / least);
}

// Calls fn(begin, end) on consecutive 64-float aligned chunks of [0, items), at most one per thread
// and none much smaller than thread_pool.least(threshold) items.
template <class Fn>
void parallel_chunks(ThreadPool& thread_pool, size_t items, size_t threshold, Fn&& fn) {
  const size_t parts = worthwhile_parts(thread_pool, items, threshold);
  if (parts == 1) {
    if (items > 0) fn(size_t{0}, items);
    return;
  }
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    const Range range = split_range(items, 64, parts, static_cast<size_t>(part));
    if (range.size() > 0) fn(range.begin, range.end);
  });
}

}  // namespace nsop::kernels
