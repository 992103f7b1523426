#include "kernels/conv/plan.h"

#include <algorithm>
#include <array>

#include "kernels/conv/shape/forks.h"
#include "kernels/conv/ways/bias.h"
#include "kernels/conv/ways/dilated.h"
#include "kernels/conv/ways/im2col.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

// Winograd's, over one axis and over more.
constexpr std::array<ConvForks, 2> kWinogradForks = {{
    {kWinograd1DMacs, kWinograd1DGradientMacs},
    {kWinogradMacs, kWinogradGradientMacs},
}};

// As conv_pool().
ThreadPool& winograd_pool(const ConvShape& s, ConvPass pass, ThreadPool& pool) {
  if (pool.threads() == 1) return pool;
  const ConvForks& forks = kWinogradForks[s.height().kernel == 1 ? 0 : 1];
  const size_t parts = pass == ConvPass::kForward
                           ? worthwhile_parts(pool, conv_macs(s), forks.forward)
                           : worthwhile_parts(pool, 2 * conv_macs(s), forks.gradients);
  return parts > 1 ? pool : serial_pool();
}

bool is_dilated(const ConvShape& s) { return s.width().dilation > 1; }

}  // namespace

ConvPlan::ConvPlan(const ConvShape& shape, ConvWay way)
    : shape_(shape), im2col_(way == ConvWay::kIm2col) {
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    winograd_[static_cast<size_t>(pass)] =
        way == ConvWay::kWinograd ||
        (way == ConvWay::kRule &&
         (winograd_pays(shape, pass) || dilated_winograd_pays(shape, pass)));
  }
}

size_t ConvPlan::workspace_floats(ConvPass pass, int threads) const {
  const auto floats = [&](int count) {
    if (im2col_) return im2col_workspace_floats(shape_, count);
    if (!is_winograd(pass)) return conv_workspace_floats(shape_, count);
    return (is_dilated(shape_) ? dilated_workspace_floats : winograd_workspace_floats)(shape_, pass,
                                                                                       count);
  };
  return std::max(floats(threads), floats(1));  // too little work stays on one thread
}

std::string ConvPlan::algorithm(ConvPass pass) const {
  if (im2col_) return "matrix of patches, one product";
  if (is_winograd(pass)) {
    if (is_dilated(shape_)) return dilated_algorithm(shape_);
    if (shape_.height().kernel == 1) return "winograd F(4,3)";
    return shape_.depth().kernel == 1 ? "winograd F(4x4,3x3)" : "winograd F(4x4,3x3) of slices";
  }
  if (pass == ConvPass::kForward) return conv_forward_algorithm(shape_);
  return pass == ConvPass::kData ? conv_data_algorithm(shape_) : conv_weights_algorithm(shape_);
}

ThreadPool& ConvPlan::worthwhile_pool(ConvPass pass, ThreadPool& all) const {
  return (is_winograd(pass) ? winograd_pool : conv_pool)(shape_, pass, all);
}

void ConvPlan::forward(std::span<const float> x, std::span<const float> w,
                       std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                       ThreadPool& all) const {
  ThreadPool& pool = worthwhile_pool(ConvPass::kForward, all);
  if (im2col_) return im2col_forward(shape_, x, w, bias, y, workspace, pool);
  const bool winograd = is_winograd(ConvPass::kForward);
  if (winograd && is_dilated(shape_)) {
    return dilated_forward(shape_, x, w, bias, y, workspace, pool);
  }
  (winograd ? winograd_forward : conv_forward)(shape_, x, w, bias, y, workspace, pool);
}

void ConvPlan::backward_data(std::span<const float> w, std::span<const float> dy,
                             std::span<float> dx, std::span<float> workspace,
                             ThreadPool& all) const {
  ThreadPool& pool = worthwhile_pool(ConvPass::kData, all);
  if (im2col_) return im2col_backward_data(shape_, w, dy, dx, workspace, pool);
  const bool winograd = is_winograd(ConvPass::kData);
  if (winograd && is_dilated(shape_)) {
    return dilated_backward_data(shape_, w, dy, dx, workspace, pool);
  }
  (winograd ? winograd_backward_data : conv_backward_data)(shape_, w, dy, dx, workspace, pool);
}

void ConvPlan::backward_weights(std::span<const float> x, std::span<const float> dy,
                                std::span<float> dw, std::span<float> dbias,
                                std::span<float> workspace, ThreadPool& all) const {
  ThreadPool& pool = worthwhile_pool(ConvPass::kWeights, all);
  if (!im2col_ && !is_winograd(ConvPass::kWeights)) {
    return conv_backward_weights(shape_, x, dy, dw, dbias, workspace, pool);
  }
  if (im2col_) {
    im2col_backward_weights(shape_, x, dy, dw, workspace, pool);
  } else if (is_dilated(shape_)) {
    dilated_backward_weights(shape_, x, dy, dw, workspace, pool);
  } else {
    winograd_backward_weights(shape_, x, dy, dw, workspace, pool);
  }
  if (!dbias.empty()) conv_backward_bias(shape_, dy, dbias, pool);
}

}  // namespace nsop::kernels
