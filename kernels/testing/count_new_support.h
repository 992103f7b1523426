// What count_new_support.cpp counts, in the test programs that link it.
#pragma once

#include <atomic>
#include <cstdint>

namespace nsop::kernels {

// Calls of operator new so far, on all threads, and how many of their blocks are not given back.
extern std::atomic<int64_t> allocations, live_blocks;

}  // namespace nsop::kernels
