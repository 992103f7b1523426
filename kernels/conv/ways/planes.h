// Convolutions of single planes, as those with one channel per group are: a few taps held in
// registers, whole lines of output. Planes are read in place by masked loads with AVX-512, else
// copied with their padding.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/lines_plan.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Is the way possible, and faster than register tiles of several outputs? A rule of the shape: one
// input channel and at most 4 outputs per group, no depth, no average, a stride of the width of 1
// or 2.
bool planes_pay(const LineLayer& layer);

size_t planes_floats(const LineLayer& layer, int threads);  // of workspace, 64-byte aligned

// y of a layer for which it pays, with weights [groups][outs][1][taps]; an empty bias is none.
void planes_layer(const LineLayer& layer, std::span<const float> x, const float* w,
                  std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                  ThreadPool& thread_pool);

std::string planes_algorithm(const LineLayer& layer);

}  // namespace nsop::kernels
