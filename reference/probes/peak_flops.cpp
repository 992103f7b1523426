// peak_flops: y = the 512th iterate of z -> a z + b from z = x. Two flops per element and
// iteration, and next to no memory traffic: what it reaches is the arithmetic limit of the machine.
//
// The inputs make it a real computation: a in [0.997, 0.999] and b in +-0.002 keep |z| below 2, and
// after 512 iterations every one of them still changes the result by more than the tolerance.
#include <cmath>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

constexpr int64_t kElements = 16128;  // a multiple of 12 accumulators of any vector width up to 64
constexpr int kIterations = 512;

std::vector<InputSpec> inputs_of(const Case&) {
  return {{.name = "x", .shape = {kElements}},
          {.name = "a", .shape = {1}, .lo = 0.997, .hi = 0.999},
          {.name = "b", .shape = {1}, .lo = -0.002, .hi = 0.002}};
}

std::vector<OutputSpec> outputs_of(const Case&) { return {{"y", {kElements}}}; }

void oracle(const Case&, std::span<const Tensor> in, std::span<TensorF64> out) {
  const double a = in[1].data()[0];
  const double b = in[2].data()[0];
  for (size_t i = 0; i < out[0].data.size(); ++i) {
    double z = in[0].data()[i];
    for (int k = 0; k < kIterations; ++k) z = a * z + b;
    out[0].data[i] = z;
  }
}

// |z| stays below the larger of |x| <= 1 and |b| / (1 - a) <= 2. A product and a sum round by at
// most u|z| each, an error shrinks by a per iteration: at most 2 u * 2 * 512 in all, which holds
// with certainty, fused or not.
Tolerance tolerance_of(const Case&) {
  return {.absolute = 4 * kUnitRoundoff * kIterations, .relative = 0};
}

const OpRow row{Op{
    .spec = {.name = "peak_flops",
             .summary = "Multiply-adds on registers only: the arithmetic limit.",
             .params = {}},
    .validate = {},
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work =
        [](const Case& c) {
          const double macs = static_cast<double>(kElements) * kIterations;
          return Work{.flops = 2 * macs,
                      .macs = macs,
                      .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
        },
}};

}  // namespace
}  // namespace nsop::reference
