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
  const float* weights;
  std::span<float> to;
};

// A way of computing a phase. Its weights lie as the way wants them: phases.cpp sorts them.
struct PhaseWay {
  size_t (*floats)(const ConvShape& s, const Phase& phase, int threads);  // of workspace
  void (*run)(const ConvShape& s, const Phase& phase, const PhaseTensors& t,
              std::span<float> workspace, ThreadPool& pool);
  std::string (*describe)(const ConvShape& s, const Phase& phase);
};

// By Phase::by_lines: lines read in place, or a product with patches.
const PhaseWay& phase_way(const Phase& phase);

}  // namespace nsop::kernels
