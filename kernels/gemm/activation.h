// The activation that a product ends with.
#pragma once

#include <cstddef>

#include "kernels/gemm/gemm.h"

namespace nsop::kernels {

// Replaces each element of c [rows, columns], whose rows are ldc floats apart, by its activation.
void activate(FusedActivation activation, float* c, size_t ldc, size_t rows, size_t columns);

}  // namespace nsop::kernels
