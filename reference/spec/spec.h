// What the specifications of several ops have in common: keys, shape limits, rounding models.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/case.h"
#include "harness/core/registry.h"
#include "harness/core/tensor/tensor.h"

namespace nsop::reference {

constexpr double kUnitRoundoff = 0x1p-24;  // of float32, round to nearest
constexpr double kUlp = 0x1p-23;           // spacing of float32 just above 1
constexpr double kFloatBytes = 4;

// `pass=...` with these choices.
ParamSpec pass_param(std::vector<std::string> choices);
// `range=lo:hi`, left out of the canonical text when it is -1:1.
ParamSpec range_param();

// Throws Error (usage) `<op>: <message>` unless the condition holds.
void require(bool condition, std::string_view op, std::string_view message);

// Throws Error (usage) when a tensor of this shape has more than 2^31 elements.
void require_size(std::string_view op, std::string_view tensor, const Shape& shape);

// Values uniform in [lo, hi], as a factor of an accumulated product.
struct Uniform {
  double lo = -1;
  double hi = 1;
  double mean() const { return (lo + hi) / 2; }
  double root_mean_square() const;
  Uniform scaled(double factor) const { return {lo * factor, hi * factor}; }
};
Uniform uniform_of(const Case& op_case);  // of key `range`

// How far a float32 sum of `terms` products a*b may be from the exact one, in any summation order.
Tolerance accumulation_tolerance(double terms, Uniform a, Uniform b);
// The same of `terms` plain values.
Tolerance plain_sum_tolerance(double terms, Uniform a);
// What a sum of `terms` small products loses when it starts from a larger value (a bias).
Tolerance offset_tolerance(double terms, Uniform offset);
// What averaging `terms` values of mean `mean` adds to the error of each.
Tolerance average_tolerance(double terms, double mean, double root_mean_square);
// The larger of both, part by part: one tolerance for ops with several outputs.
Tolerance wider(Tolerance a, Tolerance b);

// 4-byte elements of all tensors, each touched once: compulsory traffic in bytes.
double compulsory_bytes(const std::vector<InputSpec>& inputs,
                        const std::vector<OutputSpec>& outputs);

}  // namespace nsop::reference
