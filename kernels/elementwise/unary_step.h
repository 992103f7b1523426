// The registry row that ops of one argument with a gradient share.
#pragma once

#include <span>
#include <string>

#include "harness/core/registry.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

using ForwardKernel = void (*)(std::span<const float> x, std::span<float> y,
                               ThreadPool& thread_pool);
// `saved` is what the op keeps from the forward pass: its input or its output.
using BackwardKernel = void (*)(std::span<const float> saved, std::span<const float> dy,
                                std::span<float> dx, ThreadPool& thread_pool);

// The variant `hwy` of an op with the cases `pass=forward` (x -> y) and `pass=backward`
// (saved, dy -> dx).
Variant unary_variant(const std::string& op, ForwardKernel forward, BackwardKernel backward);

}  // namespace nsop::kernels
