// Lines of floats sorted by the remainders of their places, and back.
#pragma once

#include <cstddef>

namespace nsop::kernels {

// A line of d * columns floats: those with remainder i of d are `remainder` floats further than
// those with remainder i - 1. All pointers are valid for that much; `line` and `sorted` don't
// overlap. 8 bytes of traffic per float, no arithmetic.
struct LineSorter {
  void (*sort)(const float* line, float* sorted, size_t d, size_t columns, size_t remainder);
  void (*unsort)(const float* sorted, float* line, size_t d, size_t columns, size_t remainder);
};

// For the target that this machine runs: with d = 2 on vectors, else a float at a time.
LineSorter line_sorter();

}  // namespace nsop::kernels
