// load_batch: the next batch of a data set in random order, n=<examples>x<shape of one>. Which
// examples is drawn by the step; the target of an example is its number, and so the check knows
// which ones it must have copied, and that none comes twice in a batch.
#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

int64_t examples_of(const Case& c) { return c.shape("n")[0]; }

Shape batch_shape(const Case& c) {
  Shape shape = c.shape("n");
  shape[0] = c.integer("batch");
  return shape;
}

void validate(const Case& c) {
  require(c.shape("n").size() >= 2, "load_batch",
          "n=" + c.str("n") + " is no data set, expected examples x numbers of one");
  require_size("load_batch", "examples", c.shape("n"));
  require(examples_of(c) <= int64_t{1} << 24, "load_batch",
          "more examples than floats can count, expected at most 2^24");
  require(c.integer("batch") <= examples_of(c), "load_batch",
          "batch=" + c.str("batch") + " is more than the examples that there are");
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  return {{"examples", c.shape("n"), lo, hi}, {"targets", {examples_of(c)}, 0, 1}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{"examples", batch_shape(c)}, {"targets", {c.integer("batch")}}};
}

void number_targets(const Case&, std::span<Tensor> in) {
  for (size_t i = 0; i < in[1].size(); ++i) in[1].data()[i] = static_cast<float>(i);
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<const Tensor> produced,
            std::span<TensorF64> out) {
  const size_t each = in[0].size() / in[1].size();
  std::set<float> seen;
  for (size_t i = 0; i < produced[1].size(); ++i) {
    const float number = produced[1].data()[i];
    const bool valid = number >= 0 && number < static_cast<float>(examples_of(c)) &&
                       number == std::floor(number) && seen.insert(number).second;
    out[1].data[i] = valid ? static_cast<double>(number) : -1.0;
    const size_t from = valid ? static_cast<size_t>(number) * each : 0;
    std::ranges::copy(in[0].data().subspan(from, each),
                      out[0].data.begin() + static_cast<std::ptrdiff_t>(i * each));
  }
}

const OpRow row{Op{
    .spec = {.name = "load_batch",
             .summary = "The next batch of a data set, in random order.",
             .params = {{.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                        {.name = "batch", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                        range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = number_targets,
    .oracle = {},
    .oracle_given = oracle,
    .tolerance = [](const Case&) { return Tolerance{}; },
    // Read and written once each.
    .work = [](const Case& c) -> Work {
      const auto floats = static_cast<double>(element_count(batch_shape(c)) + c.integer("batch"));
      return {.flops = 0, .macs = 0, .bytes = 2 * kFloatBytes * floats};
    },
}};

}  // namespace
}  // namespace nsop::reference
