// Ops whose tensors may be stored in 16 bits: bfloat16 (8 bits of significand, the exponents of
// float32) and IEEE 754 binary16 (11 bits, up to 65504).
#pragma once

#include <functional>
#include <string>

#include "harness/core/registry.h"

namespace nsop::reference {

// One way of storing a number.
struct StoredType {
  std::string name;
  int digits = 24;      // bits of significand, the hidden one among them
  double largest = 0;   // finite number
  double denormal = 0;  // smallest positive number, and the unit of all denormals
  double bytes = 4;
  double unit_roundoff() const;
};
// `f32`, `bf16` or `f16` (assert).
const StoredType& stored_type(const std::string& name);

// The number of the type that is nearest, of two the even one; beyond the largest infinite.
double rounded_to(const StoredType& type, double value);

// The op with a key `type` (f32, bf16, f16; left out for f32) after its own keys. Of a case of 16
// bits, inputs are rounded to the type before anything is made of them. What is expected of outputs
// is what exact arithmetic makes of those inputs, and the tolerance that of the float32 op plus one
// rounding to the type: sums are to be accumulated in float32. Work has the bytes of the type.
// `is_stored` tells tensors, by name, that are of the type from those that stay float32; it holds
// of inputs and outputs alike. Empty: all are. An op that draws random numbers can have no types.
Op with_types(const Op& op, std::function<bool(const std::string& tensor)> is_stored = {});

}  // namespace nsop::reference
