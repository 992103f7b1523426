// Element-wise functions of two arguments, the second one broadcast.
#pragma once

#include <span>

#include "harness/core/tensor.h"
#include "kernels/elementwise.h"

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

// How b moves while a (and c) are walked in order: the shape of a with neighbouring dimensions
// merged where b steps through both or through neither.
struct Broadcast {
  static constexpr size_t kMaxRank = 8;
  size_t rank = 0;
  size_t extent[kMaxRank] = {};    // outermost first
  size_t b_stride[kMaxRank] = {};  // elements; 0 where b stands still
  size_t elements() const;
};

// The broadcast of b to the shape of a as NumPy does it: aligned at the last dimension, each extent
// of b 1 or that of a, at most kMaxRank dimensions remaining after merging (assert).
Broadcast broadcast_of(const Shape& a, const Shape& b);

// c = op(a, b), all of one size. c may be a or b.
void binary(Binary op, std::span<const float> a, std::span<const float> b, std::span<float> c,
            Pool& pool);

// c = op(a, b) where b is broadcast; no copy of b is made. c may be a.
void binary_broadcast(Binary op, const Broadcast& broadcast, std::span<const float> a,
                      std::span<const float> b, std::span<float> c, Pool& pool);

// The two inner loops of an op on the target that is chosen now: b moves with a, or one value of b
// is for all.
struct BinaryParts {
  BinaryPart moving = nullptr;
  BinaryPart fixed = nullptr;
};
BinaryParts binary_parts(Binary op);
BinaryParts compare_parts(Binary op);  // of a comparison

}  // namespace nsop::kernels
