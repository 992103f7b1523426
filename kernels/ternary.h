// Element-wise functions of more operands, all of one size.
#pragma once

#include <span>

#include "kernels/pool.h"

namespace nsop::kernels {

// y = a * b + c, rounded once where the target has a fused multiply-add. y may be an operand.
void fused_multiply_add(std::span<const float> a, std::span<const float> b,
                        std::span<const float> c, std::span<float> y, Pool& pool);

// z = alpha * x + y, likewise. z may be x or y.
void axpy(float alpha, std::span<const float> x, std::span<const float> y, std::span<float> z,
          Pool& pool);

// y = a where cond > 0, else b (also where cond is NaN). y may be an operand.
void where(std::span<const float> cond, std::span<const float> a, std::span<const float> b,
           std::span<float> y, Pool& pool);

}  // namespace nsop::kernels
