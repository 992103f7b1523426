// dropout: y = x * mask, where a mask of 1 / (1 - rate) keeps a value and 0 drops it, each value
// being dropped with probability `rate` by itself; dx = dy * mask.
//
// Which values a forward pass drops is its own choice. It is checked given the mask that it shows:
// values of 0 and 1 / (1 - rate) only, y their product, and of n values the share that binomial
// numbers have within five standard deviations.
#include <algorithm>
#include <cmath>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

double scale_of(const Case& c) { return 1 / (1 - c.number("rate")); }
bool is_forward(const Case& c) { return c.str("pass") == "forward"; }

void validate(const Case& c) {
  require_size("dropout", "x", c.shape("n"));
  const double rate = c.number("rate");
  require(rate >= 0 && rate < 1, "dropout",
          "rate=" + c.str("rate") + " is no share of values to drop, expected 0 <= rate < 1");
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  if (is_forward(c)) return {{"x", c.shape("n"), lo, hi}};
  return {{"mask", c.shape("n"), 0, 1}, {"dy", c.shape("n"), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  if (is_forward(c)) return {{"y", c.shape("n")}, {"mask", c.shape("n")}};
  return {{"dx", c.shape("n")}};
}

// A backward pass is given a mask as a forward pass could have drawn it.
void draw_mask(const Case& c, std::span<Tensor> in) {
  if (is_forward(c)) return;
  const double rate = c.number("rate");
  for (float& v : in[0].data()) v = v < rate ? 0.0F : static_cast<float>(scale_of(c));
}

// Is `kept` of n what independent choices give, within five standard deviations?
bool is_likely(double kept, double n, double rate) {
  const double deviation = std::sqrt(n * rate * (1 - rate));
  return std::fabs(kept - n * (1 - rate)) <= 5 * deviation + 0.5;
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<const Tensor> produced,
            std::span<TensorF64> out) {
  const std::span<const float> values = in[0].data();
  if (!is_forward(c)) {
    for (size_t i = 0; i < values.size(); ++i) {
      out[0].data[i] = static_cast<double>(values[i]) * in[1].data()[i];
    }
    return;
  }
  const double scale = scale_of(c);
  double kept = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool keeps = produced[1].data()[i] > scale / 2;
    kept += keeps ? 1 : 0;
    out[1].data[i] = keeps ? scale : 0;
    out[0].data[i] = keeps ? values[i] * scale : 0;
  }
  if (is_likely(kept, static_cast<double>(values.size()), c.number("rate"))) return;
  for (double& m : out[1].data) m = -1;  // no mask: whatever was drawn is wrong
}

// The product is rounded, and so is the scale. Whoever takes the rate as a float, as layers do, has
// an error of half an ULP of it in 1 - rate.
Tolerance tolerance_of(const Case& c) {
  const double rate = c.number("rate");
  return {.absolute = 0, .relative = 4 * kUlp + kUlp * rate / (1 - rate)};
}

Work work_of(const Case& c) {
  return {.flops = static_cast<double>(element_count(c.shape("n"))),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "dropout",
             .summary = "Values dropped by chance, the others scaled up; and gradient.",
             .params = {pass_param({"forward", "backward"}),
                        {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                        {.name = "rate", .kind = ParamKind::kNumber, .choices = {}, .absent = {}},
                        range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = draw_mask,
    .oracle = {},
    .oracle_given = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
