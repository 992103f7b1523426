// Element-wise functions of one argument without a gradient of their own. Elements are independent:
// any shape, as one span.
//
// How exact they are on which target: docs/accuracy.md. Special values follow IEEE 754 and C's
// math functions; denormals are neither flushed on the way in nor on the way out.
#pragma once

#include <span>

#include "kernels/elementwise/elementwise.h"

namespace nsop::kernels {

enum class Unary {
  kAbs,
  kNeg,
  kSquare,
  kSqrt,
  kRecip,
  kSign,   // -1, 1, or x itself where it is a zero or NaN
  kClip,   // min(max(x, first), second); NaN stays NaN
  kScale,  // first * x
  kExp,
  kLog,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kPow,  // x^first in the sense of C's pow; first is finite
};

struct UnaryParams {
  float first = 0;
  float second = 0;
};

// y = op(x). y has the size of x and may be x.
void unary(Unary op, UnaryParams params, std::span<const float> x, std::span<float> y,
           ThreadPool& thread_pool);

// The parts of the families, on the target that is chosen now; nullptr if it isn't one of them.
UnaryPart arithmetic_part(Unary op);
UnaryPart exp_log_part(Unary op);
UnaryPart trig_part(Unary op);
UnaryPart power_part(Unary op);

}  // namespace nsop::kernels
