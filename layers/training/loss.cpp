#include "layers/training/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/error.h"
#include "kernels/activations/activation.h"
#include "kernels/activations/relu.h"
#include "kernels/activations/sigmoid.h"
#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/ternary.h"
#include "kernels/elementwise/unary.h"
#include "layers/core/threads.h"

namespace nsop::layers {
namespace {

using kernels::Binary;
using kernels::Unary;

constexpr std::array kNames = {"MSE", "Huber", "CrossEntropy", "BinaryCrossEntropy"};

void scale(ConstFloats x, float factor, Floats y, ThreadPool& thread_pool) {
  if (!y.empty()) kernels::unary(Unary::kScale, {factor}, x, y, thread_pool);
}

}  // namespace

Loss::Loss(const LossOptions& options) : options_(options) {
  if (!(options.delta > 0)) {
    throw usage_error(fmt::format("Huber: delta is {}, expected a number above 0", options.delta));
  }
}

std::string Loss::name() const {
  const char* reduction = options_.reduction == LossReduction::kMean ? "mean" : "sum";
  const std::string delta =
      options_.kind == LossKind::kHuber ? fmt::format("delta={}, ", options_.delta) : "";
  return fmt::format("{}({}{})", kNames[static_cast<size_t>(options_.kind)], delta, reduction);
}

void Loss::init(const Shape& prediction, int threads) {
  const bool by_class = options_.kind == LossKind::kCrossEntropy;
  const bool empty = std::ranges::any_of(prediction, [](int64_t extent) { return extent < 1; });
  if (empty || prediction.empty() || (by_class && prediction.size() < 2)) {
    throw usage_error(fmt::format("{}: expected predictions of shape {}, given {}", name(),
                                  by_class ? "[N, C, ...]" : "[N, ...]", shape_text(prediction)));
  }
  thread_pool_ = &checked_threads(threads, name());
  size_ = static_cast<size_t>(element_count(prediction));
  target_shape_ = prediction;
  if (by_class) {
    target_shape_.erase(target_shape_.begin() + 1);
    const auto outer = static_cast<size_t>(prediction[0]);
    const auto classes = static_cast<size_t>(prediction[1]);
    rows_ = {outer, classes, size_ / outer / classes};
    log_softmax_.emplace(kernels::SoftmaxKind::kLog, rows_);
  }
  const auto terms = static_cast<float>(element_count(target_shape_));
  scale_ = options_.reduction == LossReduction::kMean ? 1 / terms : 1;
  dot_.emplace(size_);
  sum_.emplace(kernels::Reduction::kSum, kernels::AxisShape{1, size_, 1});
  Arena measuring;
  plan(measuring);
  arena_ = Arena(measuring.plan());
  plan(arena_);
}

void Loss::plan(Arena& arena) {
  first_ = arena.take(size_);
  second_ = arena.take(size_);
  partial_ = arena.take(std::max(dot_->workspace_floats(thread_pool_->threads()),
                                 sum_->workspace_floats(thread_pool_->threads())));
}

void Loss::check_sizes(ConstFloats prediction, ConstFloats target, Floats gradient) const {
  if (thread_pool_ == nullptr) throw usage_error(name() + ": used before init()");
  const auto targets = static_cast<size_t>(element_count(target_shape_));
  if (prediction.size() != size_ || target.size() != targets ||
      (!gradient.empty() && gradient.size() != size_)) {
    throw usage_error(fmt::format(
        "{}: given {} predictions, {} targets and {} gradients, expected {}, {} and "
        "{} or none",
        name(), prediction.size(), target.size(), gradient.size(), size_, targets, size_));
  }
}

void Loss::check_classes(ConstFloats target) const {
  const auto classes = static_cast<float>(rows_.length);
  for (size_t i = 0; i < target.size(); ++i) {
    const float t = target[i];
    const bool valid = t >= 0 && t < classes && static_cast<float>(static_cast<size_t>(t)) == t;
    if (valid) continue;
    throw usage_error(fmt::format("{}: target {} is {}, expected a class number from 0 to {}",
                                  name(), i, t, rows_.length - 1));
  }
}

float Loss::run(ConstFloats prediction, ConstFloats target, Floats gradient) {
  check_sizes(prediction, target, gradient);
  switch (options_.kind) {
    case LossKind::kMse:
      return mse(prediction, target, gradient);
    case LossKind::kHuber:
      return huber(prediction, target, gradient);
    case LossKind::kCrossEntropy:
      check_classes(target);
      return cross_entropy(prediction, target, gradient);
    case LossKind::kBinaryCrossEntropy:
      break;
  }
  return binary_cross_entropy(prediction, target, gradient);
}

float Loss::mse(ConstFloats x, ConstFloats t, Floats gradient) {
  kernels::binary(Binary::kSub, x, t, first_, *thread_pool_);
  const float sum = dot_->run(first_, first_, partial_, *thread_pool_);
  scale(first_, 2 * scale_, gradient, *thread_pool_);
  return scale_ * sum;
}

// With g = d held within [-delta, delta] a term is g (d - g / 2), on both sides of the kink.
float Loss::huber(ConstFloats x, ConstFloats t, Floats gradient) {
  kernels::binary(Binary::kSub, x, t, first_, *thread_pool_);
  kernels::unary(Unary::kClip, {-options_.delta, options_.delta}, first_, second_, *thread_pool_);
  kernels::axpy(-0.5f, second_, first_, first_, *thread_pool_);
  const float sum = dot_->run(second_, first_, partial_, *thread_pool_);
  scale(second_, scale_, gradient, *thread_pool_);
  return scale_ * sum;
}

float Loss::cross_entropy(ConstFloats x, ConstFloats t, Floats gradient) {
  log_softmax_->forward(x, first_, *thread_pool_);
  const size_t inner = rows_.inner;
  const auto at = [&](size_t row) {
    const auto chosen = static_cast<size_t>(t[row]);
    return (row / inner * rows_.length + chosen) * inner + row % inner;
  };
  double sum = 0;
  for (size_t row = 0; row < t.size(); ++row) sum -= first_[at(row)];
  if (!gradient.empty()) {
    kernels::unary(Unary::kExp, {}, first_, gradient, *thread_pool_);
    for (size_t row = 0; row < t.size(); ++row) gradient[at(row)] -= 1;
    scale(gradient, scale_, gradient, *thread_pool_);
  }
  return static_cast<float>(scale_ * sum);
}

// A term is max(x, 0) - x t + log(1 + e^-|x|): nothing overflows, and where the first two cancel
// they do so exactly, before the small third is added.
float Loss::binary_cross_entropy(ConstFloats x, ConstFloats t, Floats gradient) {
  kernels::relu_forward(x, first_, *thread_pool_);
  kernels::binary(Binary::kMul, x, t, second_, *thread_pool_);
  kernels::binary(Binary::kSub, first_, second_, first_, *thread_pool_);
  kernels::unary(Unary::kAbs, {}, x, second_, *thread_pool_);
  kernels::unary(Unary::kNeg, {}, second_, second_, *thread_pool_);
  kernels::activation_forward(kernels::Activation::kSoftplus, 0, second_, second_, *thread_pool_);
  kernels::binary(Binary::kAdd, first_, second_, first_, *thread_pool_);
  float sum = 0;
  sum_->run(first_, {&sum, 1}, partial_, *thread_pool_);
  if (!gradient.empty()) {
    kernels::sigmoid_forward(x, gradient, *thread_pool_);
    kernels::binary(Binary::kSub, gradient, t, gradient, *thread_pool_);
    scale(gradient, scale_, gradient, *thread_pool_);
  }
  return scale_ * sum;
}

}  // namespace nsop::layers
