// Element-wise functions of more operands.
#pragma once

#include <span>

#include "kernels/elementwise/binary.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// y[i] = f(a[i], b[i], c[i]) for i < n, on one thread.
using TernaryPart = void (*)(const float* a, const float* b, const float* c, float* y, size_t n,
                             bool nontemporal);

// y = a * b + c, rounded once where the target has a fused multiply-add. y may be an operand.
void fused_multiply_add(std::span<const float> a, std::span<const float> b,
                        std::span<const float> c, std::span<float> y, ThreadPool& thread_pool);

// The same of operands that are broadcast to the shape of y; y may be one that isn't.
void fused_multiply_add_broadcast(const Broadcasts<3>& broadcasts, std::span<const float> a,
                                  std::span<const float> b, std::span<const float> c,
                                  std::span<float> y, ThreadPool& thread_pool);

// z = alpha * x + y, likewise. z may be x or y.
void axpy(float alpha, std::span<const float> x, std::span<const float> y, std::span<float> z,
          ThreadPool& thread_pool);

// The same where x is broadcast to the shape of y; z may be y.
void axpy_broadcast(float alpha, const Broadcast& broadcast, std::span<const float> x,
                    std::span<const float> y, std::span<float> z, ThreadPool& thread_pool);

// y = a where cond > 0, else b (also where cond is NaN). y may be an operand.
void where(std::span<const float> cond, std::span<const float> a, std::span<const float> b,
           std::span<float> y, ThreadPool& thread_pool);

}  // namespace nsop::kernels
