// The element-wise ops of one argument: y = f(x) and, where they have one, dx = dy * f'(...).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/registry.h"

namespace nsop::reference {

// A function of one number, bound to the parameters of a case.
using Scalar = std::function<double(double)>;
using BindScalar = std::function<Scalar(const Case&)>;

// What tells one op from another.
struct Unary {
  std::string name;
  std::string summary;
  std::vector<ParamSpec> params;  // its own keys, between `n` and `range`
  BindScalar forward;
  // f' as a function of what the backward pass is given: x, or y = f(x) if `backward_takes_output`.
  // Without it the op has no backward pass.
  BindScalar derivative;
  bool backward_takes_output = false;
  double forward_flops = 1;  // per element
  double backward_flops = 1;
  std::function<Tolerance(const Case&)> forward_tolerance;
  // Of the backward pass for |dy| <= 1, the range that dy has.
  std::function<Tolerance(const Case&)> backward_tolerance;
};

// `<name> pass=forward|backward n=<shape> [own keys] range=lo:hi`; x is uniform in range, dy in
// -1:1. Results beyond the largest float count as infinite.
Op unary_op(const Unary& activation);

// A function without parameters.
BindScalar plain(double (*function)(double));
// The same tolerance for every case.
std::function<Tolerance(const Case&)> always(Tolerance tolerance);
// The larger magnitude of the two ends of key `range`.
double largest_input(const Case& op_case);

// Forward, within 6 ULP: a polynomial or table of 2 to 3 ULP with the roundings around it. The
// absolute part is the smallest normal number: results below it may be flushed to zero.
constexpr Tolerance kSixUlp = {.absolute = 0x1p-126, .relative = 6 * 0x1p-23};

// One operation that the hardware rounds correctly. The absolute part is half the smallest
// denormal.
constexpr Tolerance kRounded = {.absolute = 0x1p-150, .relative = 0x1p-24};

// Division and square root: an estimate of the hardware with one Newton step is accepted, too.
constexpr Tolerance kFourUlp = {.absolute = 0x1p-126, .relative = 4 * 0x1p-23};

}  // namespace nsop::reference
