// Which way each pass of a convolution goes, decided once for a shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/conv.h"
#include "kernels/conv/winograd/winograd.h"

namespace nsop::kernels {

enum class ConvWay {
  kRule,      // Winograd where winograd_pays() or dilated_winograd_pays(), else direct
  kDirect,    // conv_forward() etc.
  kWinograd,  // winograd_forward() etc.; the passes that are run must be supported
  kIm2col,    // im2col_forward() etc.
};

class ConvPlan {
 public:
  ConvPlan() = default;
  ConvPlan(const ConvShape& shape, ConvWay way);

  const ConvShape& shape() const { return shape_; }

  // Floats of workspace (64-byte aligned) that is enough for the pass.
  size_t workspace_floats(ConvPass pass, int threads) const;

  // What the pass does on the current target, in words.
  std::string algorithm(ConvPass pass) const;

  // As conv_forward() etc. in kernels/conv/conv.h, on as many threads as the work is worth.
  void forward(std::span<const float> x, std::span<const float> w, std::span<const float> bias,
               std::span<float> y, std::span<float> workspace, ThreadPool& pool) const;
  void backward_data(std::span<const float> w, std::span<const float> dy, std::span<float> dx,
                     std::span<float> workspace, ThreadPool& pool) const;
  void backward_weights(std::span<const float> x, std::span<const float> dy, std::span<float> dw,
                        std::span<float> dbias, std::span<float> workspace, ThreadPool& pool) const;

 private:
  ThreadPool& worthwhile_pool(ConvPass pass, ThreadPool& all) const;
  bool is_winograd(ConvPass pass) const { return winograd_[static_cast<size_t>(pass)]; }

  ConvShape shape_;
  bool im2col_ = false;    // all passes
  bool winograd_[3] = {};  // by ConvPass
};

}  // namespace nsop::kernels
