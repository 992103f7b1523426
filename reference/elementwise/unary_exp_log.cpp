// exp log log2 log10 pow. pow is x^e with the constant e of the case, in the sense of IEEE 754 pow.
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Flops follow a nominal price list that is common in framework benchmarks: functions of the
// exponential and trigonometric kind 5 per element.
Op function_op(const std::string& name, const std::string& summary, BindScalar function,
               std::vector<ParamSpec> params = {}) {
  return unary_op({.name = name,
                   .summary = summary,
                   .params = std::move(params),
                   .forward = std::move(function),
                   .derivative = {},
                   .forward_flops = 5,
                   .forward_tolerance = always(kSixUlp),
                   .backward_tolerance = {}});
}

const OpRow exp_row{
    function_op("exp", "Exponential function, e^x.", plain([](double x) { return std::exp(x); }))};
const OpRow log_row{function_op("log", "Natural logarithm; NaN below 0.",
                                plain([](double x) { return std::log(x); }))};
const OpRow log2_row{
    function_op("log2", "Logarithm to the base 2.", plain([](double x) { return std::log2(x); }))};
const OpRow log10_row{function_op("log10", "Logarithm to the base 10.",
                                  plain([](double x) { return std::log10(x); }))};

Scalar bind_pow(const Case& c) {
  const double e = static_cast<float>(c.number("e"));  // what a float kernel is given
  return [e](double x) { return std::pow(x, e); };
}

const OpRow pow_row{
    function_op("pow", "Power with a constant exponent, x^e.", bind_pow,
                {{.name = "e", .kind = ParamKind::kNumber, .choices = {}, .absent = {}}})};

}  // namespace
}  // namespace nsop::reference
