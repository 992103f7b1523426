// The ops that turn every line along an axis (or the whole tensor) into one number.
#pragma once

#include <string>

#include "reference/spec/axis.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

// What tells one reduction from another.
struct Reduction {
  std::string name;
  std::string summary;
  double (*fold)(const Line& line);
  double flops = 1;  // per element
  // Of a result from so many values, uniform in a range.
  Tolerance (*tolerance)(double terms, Uniform values);
};

// `<name> n=<shape> axis=all|0|1|2|3 [range=-1:1]`: x -> y.
Op reduction_op(const Reduction& reduction);

}  // namespace nsop::reference
