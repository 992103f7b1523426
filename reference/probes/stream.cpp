// stream: the four patterns of memory traffic, to measure what a cache level or the memory gives.
// read: y = sum x; write: y[i] = s; copy: y[i] = x[i]; triad: y[i] = a[i] + s b[i]. After J. D.
// McCalpin's STREAM (1995); bytes count what is read and written, not what a cache fetches to
// write. stores=streaming writes past the caches, which fetches nothing.
#include <algorithm>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

bool is(const Case& c, const char* kind) { return c.str("kind") == kind; }

std::vector<InputSpec> inputs_of(const Case& c) {
  const Shape n = {c.integer("n")};
  if (is(c, "write")) return {{.name = "s", .shape = {1}}};
  if (!is(c, "triad")) return {{.name = "x", .shape = n}};
  return {{.name = "a", .shape = n}, {.name = "b", .shape = n}, {.name = "s", .shape = {1}}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{"y", {is(c, "read") ? 1 : c.integer("n")}}};
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  std::vector<double>& y = out[0].data;
  if (is(c, "read")) {
    for (const float x : in[0].data()) y[0] += x;
    return;
  }
  const float* const x = in[0].data().data();
  if (is(c, "write")) std::fill(y.begin(), y.end(), x[0]);
  if (is(c, "copy")) std::copy_n(x, y.size(), y.begin());
  if (is(c, "triad")) {
    const double s = in[2].data()[0];
    std::transform(x, x + y.size(), in[1].data().begin(), y.begin(),
                   [s](float a, float b) { return a + s * b; });
  }
}

// write and copy are exact. In a triad a product below 1 and a sum below 2 round.
Tolerance tolerance_of(const Case& c) {
  if (is(c, "read")) {
    return plain_sum_tolerance(static_cast<double>(c.integer("n")), Uniform{});
  }
  if (is(c, "triad")) return {.absolute = 3 * kUnitRoundoff, .relative = 0};
  return {};
}

Work work_of(const Case& c) {
  const auto n = static_cast<double>(c.integer("n"));
  return {.flops = is(c, "triad") ? 2 * n : (is(c, "read") ? n : 0),
          .macs = is(c, "triad") ? n : 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "stream",
             .summary = "Reads, writes or both at full speed: the bandwidth limit.",
             .params = {{.name = "kind",
                         .kind = ParamKind::kChoice,
                         .choices = {"read", "write", "copy", "triad"},
                         .absent = {}},
                        {.name = "n", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                        {.name = "stores",
                         .kind = ParamKind::kChoice,
                         .choices = {"plain", "streaming"},
                         .absent = "plain"}}},
    .validate =
        [](const Case& c) {
          require_size("stream", "y", {c.integer("n")});
          require(!is(c, "read") || c.str("stores") == "plain", "stream",
                  "kind=read stores nothing, leave stores=streaming out");
        },
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
