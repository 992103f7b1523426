// Losses: their value and their gradient with respect to the predictions.
#pragma once

#include <optional>
#include <string>

#include "harness/core/tensor/tensor.h"
#include "kernels/norm/softmax.h"
#include "kernels/reduce/dot.h"
#include "kernels/reduce/reduce.h"
#include "layers/core/layer.h"

namespace nsop::layers {

enum class LossKind {
  kMse,                 // (x - t)^2
  kHuber,               // d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2); d = x - t
                        // (Huber 1964, doi:10.1214/aoms/1177703732)
  kCrossEntropy,        // -log softmax(x)[t] over the classes; x are logits, t class numbers
  kBinaryCrossEntropy,  // -t log s(x) - (1 - t) log(1 - s(x)); x are logits, t in [0, 1]
};

// kMean divides the sum by the number of terms: of elements, and with cross-entropy of class
// numbers (that is, rows). Value and gradient alike.
enum class LossReduction { kMean, kSum };

struct LossOptions {
  LossKind kind = LossKind::kMse;
  LossReduction reduction = LossReduction::kMean;
  float delta = 1;  // of kHuber, above 0
};

// One loss of predictions of one shape, made once and used often. Formulas and reductions are those
// of PyTorch's MSELoss, HuberLoss, CrossEntropyLoss and BCEWithLogitsLoss; logits of any size are
// safe. A NaN makes the value NaN, and the gradient of its element (cross-entropy: of its row).
class Loss {
 public:
  // Throws Error (usage) for a delta that isn't above 0.
  explicit Loss(const LossOptions& options);

  // Fixes the shape and takes all memory; cross-entropy wants [N, C, ...] with the classes at
  // axis 1. Throws Error (usage) for another shape or less than one thread; the loss stays as it
  // was.
  void init(const Shape& prediction, int threads = 1);

  // The shape of the targets: the shape of the predictions, for cross-entropy without its axis 1.
  const Shape& target_shape() const { return target_shape_; }

  // The value; `gradient` (of the size of the predictions) is overwritten unless it is empty.
  // Allocates nothing. Throws Error (usage) when spans have not the sizes of init's shape or a
  // target is no class number.
  float run(ConstFloats prediction, ConstFloats target, Floats gradient);

  std::string name() const;  // `Huber(delta=1, mean)`

 private:
  void plan(Arena& arena);
  void check_sizes(ConstFloats prediction, ConstFloats target, Floats gradient) const;
  void check_classes(ConstFloats target) const;
  float mse(ConstFloats x, ConstFloats t, Floats gradient);
  float huber(ConstFloats x, ConstFloats t, Floats gradient);
  float cross_entropy(ConstFloats x, ConstFloats t, Floats gradient);
  float binary_cross_entropy(ConstFloats x, ConstFloats t, Floats gradient);

  LossOptions options_;
  Shape target_shape_;
  kernels::AxisShape rows_;  // [N, C, inner] of cross-entropy
  size_t size_ = 0;          // of the predictions
  float scale_ = 1;          // of a term
  ThreadPool* thread_pool_ = nullptr;
  std::optional<kernels::Dot> dot_;
  std::optional<kernels::Reducer> sum_;
  std::optional<kernels::Softmax> log_softmax_;
  Arena arena_;
  Floats first_, second_, partial_;
};

}  // namespace nsop::layers
