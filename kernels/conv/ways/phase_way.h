// How a phase of the gradient of the data (phases.cpp) is computed from dy.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/ways/phase_plan.h"
#include "kernels/runtime/thread_pool.h"

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
  bool transposed;  // does sort() read the transposed filters?
  // Writes the weights of a block's filters for the taps of a phase to where run() reads them;
  // `to`: the weights of the phase.
  void (*sort)(const ConvShape& s, const Phase& phase, const FilterBlock& block, float* to);
  size_t (*floats)(const ConvShape& s, const Phase& phase, int threads);  // of workspace
  void (*run)(const ConvShape& s, const Phase& phase, const PhaseTensors& t,
              std::span<float> workspace, ThreadPool& thread_pool);
  std::string (*describe)(const ConvShape& s, const Phase& phase);
};

// By Phase::by_lines: lines read in place, or a product with patches.
const PhaseWay& phase_way(const Phase& phase);

}  // namespace nsop::kernels
