// What makes an activation slower in builds that show what a gate can see (NSOP_SLOW_KERNEL in
// kernels/CMakeLists.txt). No normal build uses it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "harness/core/tensor/random.h"
#include "kernels/elementwise/unary_step.h"
#include "kernels/runtime/step.h"

namespace nsop::kernels::slow {

enum class When { kAlways, kSlices, kProcesses, kFirst, kThreads };

// Does chance say so, in `percent` % of all numbers?
inline bool by_chance(uint64_t number, uint64_t percent) {
  return SplitMix64(number).next() % 100 < percent;
}

// Is this operation a slow one? `share`: per cent of the time slices of 2.5 ms, or of the
// processes; or how many operations of the process, counting the untimed one.
inline bool is_slow(When when, uint64_t share) {
  using namespace std::chrono;
  static const uint64_t process = static_cast<uint64_t>(getpid());
  static uint64_t operations = 0;
  constexpr microseconds kSlice{2500};
  switch (when) {
    case When::kSlices:
      return by_chance(
          process + static_cast<uint64_t>(steady_clock::now().time_since_epoch() / kSlice), share);
    case When::kProcesses:
      return by_chance(process, share);
    case When::kFirst:
      return ++operations <= share;
    default:
      return true;
  }
}

// Does `percent` % of the outputs again, on one thread alone if asked.
inline void again(ForwardKernel forward, StepBuffers& b, size_t percent, bool alone) {
  static ThreadPool one(1);
  const size_t size = b.in[0].size();
  for (size_t left = size * percent / 100; left > 0;) {
    const size_t part = std::min(left, size);
    forward(b.in[0].first(part), b.out[0].first(part), alone ? one : *b.thread_pool);
    left -= part;
  }
}

}  // namespace nsop::kernels::slow
