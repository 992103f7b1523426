// Gradient clipping: what keeps one bad batch from throwing the weights far away.
#pragma once

#include <vector>

#include "kernels/reduce/reduce.h"
#include "layers/core/layer.h"

namespace nsop::layers {

// Clips the gradients of a model's parameters, in place. Made once for them; then nothing is
// allocated.
class GradientClipper {
 public:
  // Throws Error (usage) for less than one thread.
  explicit GradientClipper(const std::vector<Parameter>& parameters, int threads = 1);

  // Holds every element in [-limit, limit]; a NaN stays. Throws Error (usage) for a limit that
  // isn't above 0.
  void clip_value(double limit);

  // Scales all gradients by max_norm / norm when their common Euclidean norm is above max_norm
  // (Pascanu, Mikolov & Bengio 2013, arXiv:1211.5063). Returns the norm before. A norm that is no
  // finite number leaves them as they are: the caller sees it and decides. Throws Error (usage) for
  // a max_norm that isn't above 0.
  double clip_norm(double max_norm);

 private:
  struct Part {
    Floats gradient;
    kernels::Reducer norm;
  };

  ThreadPool* thread_pool_;
  std::vector<Part> parts_;
  Arena arena_;
  Floats workspace_;
};

}  // namespace nsop::layers
