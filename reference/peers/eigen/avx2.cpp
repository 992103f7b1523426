// The table kEigenAvx2, declared in table.h: compiled for x86-64-v3 (CMakeLists.txt), run only
// where the processor has it.
#define NSOP_EIGEN_TABLE kEigenAvx2
#define NSOP_EIGEN_TARGET "AVX2"
#include "reference/peers/eigen/kernels-inl.h"
