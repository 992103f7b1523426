// One step of the usual optimizers, element by element: weights and state are changed in place.
// Elements are independent, so that the result doesn't depend on the number of threads.
//
// The formulas are those of PyTorch's optimizers (https://pytorch.org/docs/1.13/optim.html), each
// given below; g is the gradient plus weight_decay * w where there is a weight_decay.
//
// With one difference: state whose magnitude would be below FLT_MIN (2^-126) becomes 0, and so does
// Adam's m where m / (sqrt(v) * root + eps) would be below 2^-99. The state of a weight whose
// gradient stays 0, as behind a ReLU that never opens, shrinks by the same factor in every step and
// would become subnormal for good (0.9 times the fourth smallest number is rounded to itself), as
// would what is calculated of it, and processors calculate many times slower with subnormal
// numbers: every later step would cost more. No weight notices: what is dropped changed it by less
// than rate * 2^-99 per step (with a usual eps, 1e-8). NaN stays NaN.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// b = momentum * b + g; w -= rate * b, or with nesterov w -= rate * (g + momentum * b).
struct SgdRule {
  float rate = 0;
  float weight_decay = 0;
  float momentum = 0;
  bool nesterov = false;
};

// m = beta1 * m + (1 - beta1) g; v = beta2 * v + (1 - beta2) g^2;
// w = keep * w - rate * m / (sqrt(v) * root + eps).
struct AdamRule {
  float rate = 0;  // with the correction of m: learning rate / (1 - beta1^step)
  float root = 1;  // the correction of v: 1 / sqrt(1 - beta2^step)
  float beta1 = 0;
  float rest1 = 0;  // 1 - beta1, not rounded twice
  float beta2 = 0;
  float rest2 = 0;
  float eps = 0;
  float weight_decay = 0;  // added to the gradient (Adam)
  float keep = 1;          // 1 - learning rate * weight decay (AdamW)
};

// v = alpha * v + (1 - alpha) g^2; b = momentum * b + g / (sqrt(v) + eps); w -= rate * b.
struct RmspropRule {
  float rate = 0;
  float alpha = 0;
  float rest = 0;  // 1 - alpha
  float eps = 0;
  float weight_decay = 0;
  float momentum = 0;
};

// s = s + g^2; w -= rate * g / (sqrt(s) + eps).
struct AdagradRule {
  float rate = 0;
  float eps = 0;
  float weight_decay = 0;
};

// All spans have one size and don't overlap. The momentum of sgd_update and rmsprop_update may be
// empty: then it is taken as 0 and never stored. Nothing is allocated.
// Bytes and flops per element: 12 (20 with momentum) and 2 to 6.
void sgd_update(const SgdRule& rule, std::span<const float> gradient, std::span<float> weight,
                std::span<float> momentum, ThreadPool& thread_pool);
// 28 bytes and 12 flops per element, a root and a division among them.
void adam_update(const AdamRule& rule, std::span<const float> gradient, std::span<float> weight,
                 std::span<float> m, std::span<float> v, ThreadPool& thread_pool);
// 20 bytes (28 with momentum) and 9 flops per element.
void rmsprop_update(const RmspropRule& rule, std::span<const float> gradient,
                    std::span<float> weight, std::span<float> square, std::span<float> momentum,
                    ThreadPool& thread_pool);
// 20 bytes and 7 flops per element.
void adagrad_update(const AdagradRule& rule, std::span<const float> gradient,
                    std::span<float> weight, std::span<float> sum, ThreadPool& thread_pool);

}  // namespace nsop::kernels
