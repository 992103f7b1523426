// sin and cos.
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Relative, as for all functions; and absolute, because reducing x by multiples of pi/2 in float
// loses what is left near the zeros: half a unit roundoff of the largest value, 1, doubled.
constexpr Tolerance kTrigonometric = {.absolute = kUnitRoundoff, .relative = 6 * kUlp};

Op trig_op(const std::string& name, const std::string& summary, double (*function)(double)) {
  return unary_op({.name = name,
                   .summary = summary,
                   .params = {},
                   .forward = plain(function),
                   .derivative = {},
                   .forward_flops = 5,
                   .forward_tolerance = always(kTrigonometric),
                   .backward_tolerance = {}});
}

const OpRow sin_row{trig_op("sin", "Sine of x in radians.", [](double x) { return std::sin(x); })};
const OpRow cos_row{
    trig_op("cos", "Cosine of x in radians.", [](double x) { return std::cos(x); })};

}  // namespace
}  // namespace nsop::reference
