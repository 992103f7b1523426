// The C interface between libnsop_alloc.so and whoever counts with it.
#pragma once

#include <cstdint>

extern "C" {

// Of successful calls since nsop_alloc_start(); realloc(p, n) is one allocation of n bytes and one
// free. `requested` is what was asked for, `peak_live` counts usable sizes above the level at
// start.
struct NsopAllocTotals {
  int64_t allocs;
  int64_t frees;
  int64_t requested_bytes;
  int64_t peak_live_bytes;
};

void nsop_alloc_start();  // zeroes the totals, then counts all threads
void nsop_alloc_stop();
void nsop_alloc_snap(NsopAllocTotals* totals);
}
