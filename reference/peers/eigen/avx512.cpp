// The table kEigenAvx512, declared in table.h: compiled for x86-64-v4 (CMakeLists.txt), run only
// where the processor has it.
#define NSOP_EIGEN_TABLE kEigenAvx512
#define NSOP_EIGEN_TARGET "AVX512"
#include "reference/peers/eigen/kernels-inl.h"
