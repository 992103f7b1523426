// matvec: y = a x with a [m, n] (trans=n), or y = a' x (trans=t): a's transposed.
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

struct Matvec {
  explicit Matvec(const Case& c)
      : m(c.integer("m")), n(c.integer("n")), transposed(c.str("trans") == "t") {}
  int64_t terms() const { return transposed ? m : n; }
  int64_t results() const { return transposed ? n : m; }
  int64_t m, n;
  bool transposed;
};

std::vector<InputSpec> inputs_of(const Case& c) {
  const Matvec s(c);
  const auto [lo, hi] = c.range("range");
  return {{"a", {s.m, s.n}, lo, hi}, {"x", {s.terms()}, lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"y", {Matvec(c).results()}}}; }

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Matvec s(c);
  const std::span<const float> a = in[0].data();
  const std::span<const float> x = in[1].data();
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      const double factor = x[s.transposed ? i : j];
      out[0].data[s.transposed ? j : i] += factor * a[i * s.n + j];
    }
  }
}

Work work_of(const Case& c) {
  const double macs = static_cast<double>(c.integer("m")) * static_cast<double>(c.integer("n"));
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "matvec",
             .summary = "Matrix times vector, y = op(a) x with a [m,n].",
             .params = {{.name = "m", .choices = {}, .absent = {}},
                        {.name = "n", .choices = {}, .absent = {}},
                        {.name = "trans",
                         .kind = ParamKind::kChoice,
                         .choices = {"n", "t"},
                         .absent = {}},
                        range_param()}},
    .validate =
        [](const Case& c) {
          require_size("matvec", "a", {c.integer("m"), c.integer("n")});
        },
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance =
        [](const Case& c) {
          const auto terms = static_cast<double>(Matvec(c).terms());
          return accumulation_tolerance(terms, uniform_of(c), uniform_of(c));
        },
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
