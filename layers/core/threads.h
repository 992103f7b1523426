// Threads as users ask for them.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "harness/core/error.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::layers {

constexpr int kMostThreads = 4096;

// The shared pool of so many threads. Throws Error (usage) with `who` for less than one or more
// than kMostThreads.
inline kernels::ThreadPool& checked_threads(int threads, std::string_view who) {
  if (threads >= 1 && threads <= kMostThreads) return kernels::shared_threads(threads);
  throw usage_error(
      fmt::format("{}: expected 1 to {} threads, given {}", who, kMostThreads, threads));
}

}  // namespace nsop::layers
