// Counting allocations of a piece of code, where the process runs under the counting preload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/alloc_api.h"

namespace nsop::worker {

// The control functions of the preload; replaceable in tests.
struct AllocHook {
  void (*start)() = nullptr;
  void (*stop)() = nullptr;
  void (*snap)(NsopAllocTotals*) = nullptr;
};

// The hook of this process; nothing when libnsop_alloc.so isn't preloaded.
std::optional<AllocHook> find_alloc_hook();

// Makes a known series of allocations on two threads and compares. Empty when the hook counted
// exactly those, else what differed: a hook that fails must not be used.
std::string canary_failure(const AllocHook& hook);

// Counts what `code()` allocates on all threads; nothing else of the program may run meanwhile. An
// exception stops the counting and passes through.
template <class Code>
NsopAllocTotals count_allocs(const AllocHook& hook, Code&& code) {
  struct Stop {
    const AllocHook& hook;
    ~Stop() { hook.stop(); }
  };
  NsopAllocTotals totals{};
  {
    hook.start();
    const Stop stop{hook};
    code();
  }
  hook.snap(&totals);
  return totals;
}

}  // namespace nsop::worker
