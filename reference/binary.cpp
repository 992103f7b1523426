// add sub mul div maximum minimum: c = f(a, b), b broadcast to the shape of a.
//
// Broadcasting is NumPy's: shapes are aligned at their last dimensions, and where b has extent 1 or
// no dimension, its one value stands for all. At most kMostDimensions: kernels walk them in arrays
// of fixed size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/activation.h"
#include "reference/spec.h"

namespace nsop::reference {
namespace {

constexpr size_t kMostDimensions = 8;

struct Binary {
  std::string name;
  std::string summary;
  double (*function)(double a, double b);
  Tolerance tolerance;
  bool divides = false;  // b stays away from 0
};

Shape shape_of_b(const Case& c) {
  return c.str("b") == "same" ? c.shape("n") : Shape(c.shape("b"));
}

void validate(const Binary& op, const Case& c) {
  const Shape n = c.shape("n");
  const Shape b = shape_of_b(c);
  require(n.size() <= kMostDimensions, op.name,
          fmt::format("n={} has {} dimensions, expected at most {}", shape_text(n), n.size(),
                      kMostDimensions));
  require_size(op.name, "n", n);
  bool fits = b.size() <= n.size();
  for (size_t i = 0; fits && i < b.size(); ++i) {
    const int64_t extent = b[b.size() - 1 - i];
    fits = extent == 1 || extent == n[n.size() - 1 - i];
  }
  require(fits, op.name,
          "b=" + shape_text(b) + " doesn't broadcast to n=" + shape_text(n) +
              ", expected each extent to be 1 or that of n, aligned at the right");
}

std::vector<InputSpec> inputs_of(const Binary& op, const Case& c) {
  const auto [lo, hi] = c.range("range");
  // Quotients by values near 0 would say more about the range of floats than about the division.
  return {{"a", c.shape("n"), lo, hi},
          {"b", shape_of_b(c), op.divides ? 0.5 : lo, op.divides ? 1.5 : hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"c", c.shape("n")}}; }

// The index into b of the element of n with this flat index.
size_t index_in_b(size_t flat, const Shape& n, const Shape& b) {
  size_t index = 0;
  size_t stride = 1;
  for (size_t i = 0; i < b.size(); ++i) {
    const auto extent_n = static_cast<size_t>(n[n.size() - 1 - i]);
    const auto extent_b = static_cast<size_t>(b[b.size() - 1 - i]);
    if (extent_b != 1) index += flat % extent_n * stride;
    stride *= extent_b;
    flat /= extent_n;
  }
  return index;
}

void oracle(const Binary& op, const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Shape n = c.shape("n");
  const Shape b = shape_of_b(c);
  for (size_t i = 0; i < in[0].size(); ++i) {
    out[0].data[i] = op.function(in[0].data()[i], in[1].data()[index_in_b(i, n, b)]);
  }
}

Op binary_op(const Binary& op) {
  return {
      .spec = {.name = op.name,
               .summary = op.summary,
               .params = {{.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                          {.name = "b", .kind = ParamKind::kShape, .choices = {}, .absent = "same"},
                          range_param()}},
      .validate = [op](const Case& c) { validate(op, c); },
      .inputs = [op](const Case& c) { return inputs_of(op, c); },
      .outputs = outputs_of,
      .shape_inputs = {},
      .oracle = [op](const Case& c, std::span<const Tensor> in,
                     std::span<TensorF64> out) { oracle(op, c, in, out); },
      .tolerance = [op](const Case&) { return op.tolerance; },
      .work =
          [op](const Case& c) {
            return Work{.flops = static_cast<double>(element_count(c.shape("n"))),
                        .macs = 0,
                        .bytes = compulsory_bytes(inputs_of(op, c), outputs_of(c))};
          },
  };
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

const OpRow add_row{
    binary_op({"add", "a + b, b broadcast.", [](double a, double b) { return a + b; }, kRounded})};
const OpRow sub_row{
    binary_op({"sub", "a - b, b broadcast.", [](double a, double b) { return a - b; }, kRounded})};
const OpRow mul_row{
    binary_op({"mul", "a * b, b broadcast.", [](double a, double b) { return a * b; }, kRounded})};
const OpRow div_row{binary_op({"div", "a / b, b broadcast and in [0.5, 1.5].",
                               [](double a, double b) { return a / b; }, kFourUlp, true})};
const OpRow maximum_row{
    binary_op({"maximum", "The larger of a and b, NaN if one is; b broadcast.", larger, {}})};
const OpRow minimum_row{
    binary_op({"minimum", "The smaller of a and b, NaN if one is; b broadcast.", smaller, {}})};

}  // namespace
}  // namespace nsop::reference
