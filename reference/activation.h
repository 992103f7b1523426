// The element-wise ops of one argument: y = f(x) and dx = dy * f'(...).
#pragma once

#include <string>

#include "harness/core/registry.h"

namespace nsop::reference {

// What tells one activation from another.
struct Activation {
  std::string name;
  std::string summary;
  double (*forward)(double x);
  // f' as a function of what the backward pass is given: x, or y = f(x) if `backward_takes_output`.
  double (*derivative)(double x_or_y);
  bool backward_takes_output = false;
  double forward_flops = 1;  // per element
  double backward_flops = 1;
  Tolerance forward_tolerance;
  // Of the backward pass for |dy| <= 1, the range that dy has.
  Tolerance backward_tolerance;
};

// `<name> pass=forward|backward n=<shape> range=lo:hi`; x is uniform in range, dy in -1:1.
Op activation_op(const Activation& activation);

// Forward, within 6 ULP: a polynomial or table of 2 to 3 ULP with the roundings around it. The
// absolute part is the smallest normal number: results below it may be flushed to zero.
constexpr Tolerance kSixUlp = {.absolute = 0x1p-126, .relative = 6 * 0x1p-23};

}  // namespace nsop::reference
