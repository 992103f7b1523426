// upsample2d: y[.., i, j] = x[.., i / s, j / s], the nearest value below; dx sums the s x s values
// of dy that a value of x went to.
#include <fmt/format.h>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

bool upsamples_forward(const Case& c) { return c.str("pass") == "forward"; }

// [batch, channels, height, width]
Shape upsampled_shape(const Case& c) {
  Shape shape = c.shape("in");
  shape[2] *= c.integer("s");
  shape[3] *= c.integer("s");
  return shape;
}

std::vector<InputSpec> upsample_inputs(const Case& c) {
  if (upsamples_forward(c)) return {{"x", c.shape("in")}};
  return {{"dy", upsampled_shape(c)}};
}

std::vector<OutputSpec> upsample_outputs(const Case& c) {
  if (upsamples_forward(c)) return {{"y", upsampled_shape(c)}};
  return {{"dx", c.shape("in")}};
}

void upsample_validate(const Case& c) {
  const Shape in = c.shape("in");
  require(c.integer("s") <= 16, "upsample2d", fmt::format("s={}, expected at most 16", c.str("s")));
  require_size("upsample2d", "x", in);
  require_size("upsample2d", "y", upsampled_shape(c));
}

void upsample_oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Shape large = upsampled_shape(c);
  const auto scale = static_cast<size_t>(c.integer("s"));
  const auto height = static_cast<size_t>(large[2]), width = static_cast<size_t>(large[3]);
  const std::span<const float> from = in[0].data();
  for (size_t row = 0; row < static_cast<size_t>(large[0] * large[1]) * height; ++row) {
    // Rows of x and of y are counted over all planes: height is a whole number of scales.
    for (size_t j = 0; j < width; ++j) {
      const size_t at = row * width + j, source = row / scale * (width / scale) + j / scale;
      if (upsamples_forward(c)) {
        out[0].data[at] = from[source];
      } else {
        out[0].data[source] += from[at];
      }
    }
  }
}

Work upsample_work(const Case& c) {
  const auto elements = static_cast<double>(element_count(upsampled_shape(c)));
  return {.flops = upsamples_forward(c) ? 0 : elements,
          .macs = 0,
          .bytes = compulsory_bytes(upsample_inputs(c), upsample_outputs(c))};
}

const OpRow upsample2d_row{Op{
    .spec = {.name = "upsample2d",
             .summary = "Planes enlarged s times by nearest values, and the gradient.",
             .params =
                 {pass_param({"forward", "backward"}),
                  {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                  {.name = "s", .kind = ParamKind::kCount, .choices = {}, .absent = {}}}},
    .validate = upsample_validate,
    .inputs = upsample_inputs,
    .outputs = upsample_outputs,
    .shape_inputs = {},
    .oracle = upsample_oracle,
    .tolerance =
        [](const Case& c) {  // forward: a copy; backward: a sum of s x s values
          const auto terms = static_cast<double>(c.integer("s") * c.integer("s"));
          return upsamples_forward(c) ? Tolerance{} : plain_sum_tolerance(terms, {});
        },
    .work = upsample_work,
}};

}  // namespace
}  // namespace nsop::reference
