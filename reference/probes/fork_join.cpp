// fork_join: y = x, one cache line per part. What it costs on several threads is what sharing work
// out costs: a kernel with less to gain stays on one thread.
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

constexpr int64_t kFloats = 16;  // per part

std::vector<InputSpec> inputs_of(const Case& c) {
  return {{.name = "x", .shape = {c.integer("parts"), kFloats}}};
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"y", {c.integer("parts"), kFloats}}}; }

void oracle(const Case&, std::span<const Tensor> in, std::span<TensorF64> out) {
  const auto x = in[0].data();
  out[0].data.assign(x.begin(), x.end());
}

const OpRow row{Op{
    .spec = {.name = "fork_join",
             .summary = "Copies a cache line per part: the cost of sharing work out to threads.",
             .params = {{.name = "parts", .choices = {}, .absent = {}}}},
    .validate = {},
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = [](const Case&) { return Tolerance{}; },
    .work =
        [](const Case& c) {
          return Work{
              .flops = 0, .macs = 0, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
        },
}};

}  // namespace
}  // namespace nsop::reference
