// Eigen is a library of templates: what it compiles to depends on the flags of the file that uses
// it. Its expressions are compiled once per instruction set (eigen_avx2.cpp, eigen_avx512.cpp),
// with namespace Eigen under another name in each so that the linker keeps them apart, and reached
// through these tables of functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nsop::reference::peers {

// What an expression works on; each uses what it needs. Data is 64-byte aligned.
struct EigenArguments {
  const float* in[4] = {};
  float* out[3] = {};
  int64_t size = 0;                // elements, of element-wise ops
  int64_t m = 0, n = 0, k = 0;     // products; m rows and n columns of reductions over an axis
  bool first_transposed = false;   // as stored
  bool second_transposed = false;  // of dense: the weights are [out,in]
  float lo = 0, hi = 0;            // bounds or coefficients
};

struct EigenEntry {
  const char* op;
  const char* pass;  // `forward` for ops without passes
  void (*run)(const EigenArguments&);
};

struct EigenTable {
  const char* target;  // of the variant, after the version
  const char* simd;    // what Eigen says that it uses
  void (*set_threads)(int threads);
  const EigenEntry* entries;
  size_t count;
};

extern const EigenTable kEigenAvx2, kEigenAvx512;

}  // namespace nsop::reference::peers
