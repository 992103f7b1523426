// One way of doing a pass of a convolution. The tables of kernels/conv/table.cpp order the ways of
// a pass. A way that splits its layer into phases chooses again for each of them (phase_way.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/forks.h"
#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"
#include "kernels/runtime/ways.h"

namespace nsop::kernels {

// The tensors of a pass, contiguous float32: x [batch, in_channels, depth, height, width],
// w [out_channels, in_channels / groups, kernel depth, height, width], bias [out_channels],
// y [batch, out_channels, out depth, height, width], of a mean [batch, out_channels]; gradients as
// what they are of. Those that the pass neither reads nor writes are empty.
struct ConvTensors {
  std::span<const float> x = {}, w = {}, dy = {};
  std::span<const float> bias = {};           // empty: none
  std::span<float> y = {}, dx = {}, dw = {};  // overwritten
  std::span<float> dbias = {};                // overwritten; empty: not computed
};

struct ConvWay {
  Required<const char*> name;  // no other way of the pass has it
  Required<ConvPass> pass;
  // Can the way do the shape on the current target, and is it faster than those after it?
  Required<bool (*)(const ConvShape& shape)> pays;
  // Floats of workspace (64-byte aligned) that are enough for a run on so many threads.
  Required<size_t (*)(const ConvShape& shape, int threads)> floats;
  // Does the pass on all threads of the pool, on the target on which the way pays. Allocates
  // nothing.
  Required<void (*)(const ConvShape& shape, const ConvTensors& tensors, std::span<float> workspace,
                    ThreadPool& thread_pool)>
      run;
  // What it does on the current target, e.g. `padded lines 6x64`.
  Required<std::string (*)(const ConvShape& shape)> describe;
  // The threads that the work is worth, all of them or one.
  ThreadPool& (*threads)(const ConvShape& shape, ConvPass pass, ThreadPool& all) = direct_threads;
  bool with_bias = false;  // of the weights: does run() compute dbias, too?
};

}  // namespace nsop::kernels
