#include "kernels/conv/plan.h"

#include <algorithm>
#include <cassert>

#include "kernels/conv/ways/bias.h"

namespace nsop::kernels {

ConvPlan::ConvPlan(const ConvShape& shape, ConvChoice choice) : shape_(shape) {
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    ways_[static_cast<size_t>(pass)] = &conv_way(choice, pass, shape);
  }
}

size_t ConvPlan::workspace_floats(ConvPass pass, int threads) const {
  const auto floats = way(pass).floats;
  return std::max(floats(shape_, threads), floats(shape_, 1));  // too little work stays on one
}

void ConvPlan::forward(std::span<const float> x, std::span<const float> w,
                       std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                       ThreadPool& thread_pool) const {
  assert(x.size() == shape_.x_floats() && w.size() == shape_.w_floats());
  assert(y.size() == shape_.y_floats());
  const ConvWay& own = way(ConvPass::kForward);
  own.run(shape_, {.x = x, .w = w, .bias = bias, .y = y}, workspace,
          own.threads(shape_, own.pass, thread_pool));
}

void ConvPlan::backward_data(std::span<const float> w, std::span<const float> dy,
                             std::span<float> dx, std::span<float> workspace,
                             ThreadPool& thread_pool) const {
  assert(w.size() == shape_.w_floats() && dy.size() == shape_.y_floats());
  assert(dx.size() == shape_.x_floats());
  const ConvWay& own = way(ConvPass::kData);
  own.run(shape_, {.w = w, .dy = dy, .dx = dx}, workspace,
          own.threads(shape_, own.pass, thread_pool));
}

void ConvPlan::backward_weights(std::span<const float> x, std::span<const float> dy,
                                std::span<float> dw, std::span<float> dbias,
                                std::span<float> workspace, ThreadPool& thread_pool) const {
  assert(x.size() == shape_.x_floats() && dy.size() == shape_.y_floats());
  assert(dw.size() == shape_.w_floats());
  assert(dbias.empty() || dbias.size() == shape_.out_channels);
  const ConvWay& own = way(ConvPass::kWeights);
  ThreadPool& worthwhile = own.threads(shape_, own.pass, thread_pool);
  if (!own.with_bias && !dbias.empty()) conv_backward_bias(shape_, dy, dbias, worthwhile);
  own.run(shape_, {.x = x, .dy = dy, .dw = dw, .dbias = dbias}, workspace, worthwhile);
}

}  // namespace nsop::kernels
