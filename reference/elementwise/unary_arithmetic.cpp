// abs neg square sqrt recip sign clip: one hardware operation or two per element.
#include <algorithm>
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Forward only, one flop per element.
Op arithmetic_op(const std::string& name, const std::string& summary, double (*function)(double),
                 Tolerance tolerance) {
  return unary_op({.name = name,
                   .summary = summary,
                   .params = {},
                   .forward = plain(function),
                   .derivative = {},
                   .forward_tolerance = always(tolerance),
                   .backward_tolerance = {}});
}

const OpRow abs_row{
    arithmetic_op("abs", "Absolute value.", [](double x) { return std::fabs(x); }, {})};
const OpRow neg_row{arithmetic_op("neg", "Negation.", [](double x) { return -x; }, {})};
const OpRow square_row{arithmetic_op(
    "square", "x * x.", [](double x) { return x * x; }, kRounded)};
const OpRow sqrt_row{arithmetic_op(
    "sqrt", "Square root.", [](double x) { return std::sqrt(x); }, kFourUlp)};
const OpRow recip_row{arithmetic_op(
    "recip", "Reciprocal, 1 / x.", [](double x) { return 1 / x; }, kFourUlp)};
// 0 stays 0 with its sign, NaN stays NaN.
const OpRow sign_row{arithmetic_op("sign", "-1, 0 or 1, the sign of x.",
                                   [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); }, {})};

ParamSpec number_param(const std::string& name) {
  return {.name = name, .kind = ParamKind::kNumber, .choices = {}, .absent = {}};
}

Scalar bind_clip(const Case& c) {
  // The bounds that a float kernel is given.
  const double lo = static_cast<float>(c.number("lo"));
  const double hi = static_cast<float>(c.number("hi"));
  return [=](double x) { return std::isnan(x) ? x : std::min(std::max(x, lo), hi); };
}

Op clip_op() {
  Op op = unary_op({.name = "clip",
                    .summary = "x, but no less than lo and no more than hi.",
                    .params = {number_param("lo"), number_param("hi")},
                    .forward = bind_clip,
                    .derivative = {},
                    .forward_flops = 2,
                    .forward_tolerance = always({}),
                    .backward_tolerance = {}});
  op.validate = [](const Case& c) {
    require_size("clip", "n", c.shape("n"));
    require(c.number("lo") <= c.number("hi"), "clip", "expected lo <= hi");
  };
  return op;
}

const OpRow clip_row{clip_op()};

}  // namespace
}  // namespace nsop::reference
