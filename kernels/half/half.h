// 16-bit floats, which tensors are stored in: bfloat16 (8 bits of significand, the range of
// float32) and IEEE 754 binary16 (11 bits, up to 65504). Arithmetic is that of float32.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

enum class HalfType { kBf16, kF16 };

// Of `bf16` or `f16` (assert).
HalfType half_type_named(const std::string& name);

// y[i] = x[i], which float32 holds exactly. Both have one size.
void widen(HalfType type, std::span<const uint16_t> x, std::span<float> y, ThreadPool& thread_pool);

// y[i] = x[i] rounded to the nearest, of two to the even one (IEEE 754-2019, 4.3.1): beyond the
// largest number infinite; NaN stays NaN. Both have one size.
void narrow(HalfType type, std::span<const float> x, std::span<uint16_t> y,
            ThreadPool& thread_pool);

}  // namespace nsop::kernels
