// Convolution (cross-correlation) over one to three axes and its gradients: which way each pass
// goes, decided once for a shape. kernels/conv/ways/way.h says how the tensors lie.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/table.h"

namespace nsop::kernels {

class ConvPlan {
 public:
  ConvPlan() = default;
  // For the current target, on which the passes must then run.
  ConvPlan(const ConvShape& shape, ConvChoice choice);

  const ConvShape& shape() const { return shape_; }
  const ConvWay& way(ConvPass pass) const { return *ways_[static_cast<size_t>(pass)]; }

  // Floats of workspace (64-byte aligned) that is enough for the pass.
  size_t workspace_floats(ConvPass pass, int threads) const;

  // What the pass does on the current target, in words.
  std::string algorithm(ConvPass pass) const { return way(pass).describe(shape_); }

  // The passes, on as many threads as the work is worth. Outputs are overwritten; an empty bias is
  // none, an empty dbias isn't computed.
  void forward(std::span<const float> x, std::span<const float> w, std::span<const float> bias,
               std::span<float> y, std::span<float> workspace, ThreadPool& thread_pool) const;
  void backward_data(std::span<const float> w, std::span<const float> dy, std::span<float> dx,
                     std::span<float> workspace, ThreadPool& thread_pool) const;
  void backward_weights(std::span<const float> x, std::span<const float> dy, std::span<float> dw,
                        std::span<float> dbias, std::span<float> workspace,
                        ThreadPool& thread_pool) const;

 private:
  ConvShape shape_;
  std::array<const ConvWay*, 3> ways_ = {};  // by ConvPass
};

}  // namespace nsop::kernels
