// How a phase of the gradient of the data (phases.cpp) is computed from dy.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/ways/phase_plan.h"
#include "kernels/runtime/thread_pool.h"
#include "kernels/runtime/ways.h"

namespace nsop::kernels {

// What a phase of the groups of one image is computed from and to.
struct PhaseTensors {
  std::span<const float> dy;
  const float* weights;  // sorted
  std::span<float> to;
};

// Some filters, one after the other: of one group, or of groups with one filter each.
struct FilterBlock {
  static constexpr size_t kMost = 16;
  Range filters;
  const float* weights;     // [filters][group's in channels][taps]
  const float* transposed;  // [filters][taps][group's in channels], for a way that reads them so
};

// A way of computing a phase.
struct PhaseWay {
  Required<const char*> name;
  // Can the way do the layer of a phase on the current target, and is it faster than those after
  // it?
  Required<bool (*)(const LineLayer& layer)> pays;
  bool transposed = false;  // does sort() read the transposed filters?
  // Writes the weights of a block's filters for the taps of a phase to where run() reads them;
  // `to`: the weights of the phase.
  Required<void (*)(const ConvShape& s, const Phase& phase, const FilterBlock& block, float* to)>
      sort;
  Required<size_t (*)(const ConvShape& s, const Phase& phase, int threads)> floats;  // of workspace
  Required<void (*)(const ConvShape& s, const Phase& phase, const PhaseTensors& t,
                    std::span<float> workspace, ThreadPool& thread_pool)>
      run;
  Required<std::string (*)(const ConvShape& s, const Phase& phase)> describe;
};

// All ways, in the order in which they are asked; the last can do any phase.
std::span<const PhaseWay> phase_ways();

}  // namespace nsop::kernels
