// Element-wise functions of two arguments, the second one broadcast.
#pragma once

#include <span>

#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"

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
            ThreadPool& pool);

// c = op(a, b) where b is broadcast; no copy of b is made. c may be a.
void binary_broadcast(Binary op, const Broadcast& broadcast, std::span<const float> a,
                      std::span<const float> b, std::span<float> c, ThreadPool& pool);

// The two inner loops of an op on the target that is chosen now: b moves with a, or one value of b
// is for all.
struct BinaryParts {
  BinaryPart moving = nullptr;
  BinaryPart fixed = nullptr;
};
BinaryParts binary_parts(Binary op);
BinaryParts compare_parts(Binary op);  // of a comparison

// c = the function of a and broadcast b; `args` but for `nontemporal`.
void run_broadcast(const BinaryParts& parts, const Broadcast& broadcast, std::span<const float> a,
                   std::span<const float> b, std::span<float> c, ThreadPool& pool,
                   ElementwiseArgs args = {});

}  // namespace nsop::kernels
