// Element-wise functions of two arguments, the second one broadcast.
#pragma once

#include <span>
#include <string>

#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {

enum class Binary {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMaximum,  // NaN where one of them is
  kMinimum,
  kEqual,  // comparisons: 1 where it holds, else 0
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

// How b moves while a (and c) are walked in order.
using Broadcast = Broadcasts<1>;

// The broadcast of b to the shape of a, see broadcasts_of().
Broadcast broadcast_of(const Shape& a, const Shape& b);

// c = op(a, b), all of one size. c may be a or b.
void binary(Binary op, std::span<const float> a, std::span<const float> b, std::span<float> c,
            ThreadPool& thread_pool);

// c = op(a, b) where b is broadcast; no copy of b is made. c may be a.
void binary_broadcast(Binary op, const Broadcast& broadcast, std::span<const float> a,
                      std::span<const float> b, std::span<float> c, ThreadPool& thread_pool);

// The two inner loops of an op on the target that is chosen now: b moves with a, or one value of b
// is for all.
struct BinaryParts {
  BinaryPart moving = nullptr;
  BinaryPart fixed = nullptr;

  // The one that walks the runs of a broadcast.
  BinaryPart of(const Broadcast& broadcast) const {
    return broadcast.inner_stride()[0] == 0 ? fixed : moving;
  }
};
BinaryParts binary_parts(Binary op);
BinaryParts compare_parts(Binary op);  // of a comparison

// The ways of an op on broadcast operands (with_broadcast_way). run(): c = the function of a and b
// with the part of the broadcast; `args` but for `nontemporal`. describe(): what run() does on the
// tensors of a request, for Step::chose().
struct BinaryOnePass {
  static std::string describe(const StepRequest& request) { return single_pass(request); }
  static void run(BinaryPart part, const Broadcast& /*broadcast*/, std::span<const float> a,
                  std::span<const float> b, std::span<float> c, ThreadPool& thread_pool,
                  const ElementwiseArgs& args = {}) {
    run_binary_or_standing(part, a, b, c, thread_pool, kArithmeticElements, args);
  }
};
struct BinaryRuns {
  static std::string describe(const StepRequest& /*request*/) { return "single pass"; }
  // No nontemporal stores: short runs would begin off the alignment.
  static void run(BinaryPart part, const Broadcast& broadcast, std::span<const float> a,
                  std::span<const float> b, std::span<float> c, ThreadPool& thread_pool,
                  const ElementwiseArgs& args = {});
};

// c = the function of a and broadcast b, by the way of the broadcast; `args` but for `nontemporal`.
void run_broadcast(const BinaryParts& parts, const Broadcast& broadcast, std::span<const float> a,
                   std::span<const float> b, std::span<float> c, ThreadPool& thread_pool,
                   const ElementwiseArgs& args = {});

}  // namespace nsop::kernels
