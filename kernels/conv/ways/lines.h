// Convolutions without patches: the input is copied once, with its padding, and vectors of
// neighbouring outputs read it in place under every tap. Taps outside the image are left out where
// no output of a register tile needs them: all of the depth's, most of the height's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/lines_plan.h"
#include "kernels/runtime/thread_pool.h"
#include "kernels/runtime/ways.h"

namespace nsop::kernels {

// A way of doing one layer of any pass (kernels/conv/shape/lines_plan.h), with weights
// [groups][outs][channels][taps] and perhaps no bias.
struct LineWay {
  // Is it faster than a product with patches, given more than one tap? A rule of the layer and of
  // the vectors of the current target.
  Required<bool (*)(const LineLayer& layer)> pays;
  // Of workspace, 64-byte aligned.
  Required<size_t (*)(const LineLayer& layer, int threads)> floats;
  Required<void (*)(const LineLayer& layer, std::span<const float> x, const float* w,
                    std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                    ThreadPool& thread_pool)>
      run;
  // E.g. `padded lines 6x64`; of an average `sums of padded lines 12x32`.
  Required<std::string (*)(const LineLayer& layer)> describe;
};

// Planes (kernels/conv/ways/planes.h) can do the layers for which they pay; padded lines can do any
// layer, and pay if lines of the output fill their vectors by three quarters.
extern const LineWay kPlaneLines, kPaddedLines;

}  // namespace nsop::kernels
