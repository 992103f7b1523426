// Parts of a convolution's pass that are products of their own, such as its images: shared out
// among threads if there are enough of them, else done one after the other by all threads.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Floats for work(unit, workspace, threads) on each of `units`, where a unit needs all(threads)
// floats on so many threads.
template <class Floats>
size_t units_workspace(size_t units, int threads, Floats&& all) {
  const auto count = static_cast<size_t>(threads);
  return units < count ? all(threads) : count * all(1);
}

// Calls work(unit, workspace, threads) for each unit: each by one thread if there are enough units,
// else one after the other by all threads.
template <class Work>
void for_each_unit(size_t units, std::span<float> workspace, ThreadPool& thread_pool, Work&& work) {
  const auto threads = static_cast<size_t>(thread_pool.threads());
  if (threads == 1 || units < threads) {
    for (size_t unit = 0; unit < units; ++unit) work(unit, workspace, thread_pool);
    return;
  }
  const size_t own = workspace.size() / threads / 16 * 16;
  thread_pool.parallel(static_cast<int>(units), [&](int unit, int thread) {
    work(static_cast<size_t>(unit), workspace.subspan(static_cast<size_t>(thread) * own, own),
         serial_threads());
  });
}

}  // namespace nsop::kernels
