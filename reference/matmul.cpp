// matmul: c[m,n] = op(a) * op(b). `trans` says how a and b are stored: n as used, t transposed.
#include "reference/spec.h"

namespace nsop::reference {
namespace {

struct Matmul {
  explicit Matmul(const Case& c)
      : m(c.integer("m")),
        n(c.integer("n")),
        k(c.integer("k")),
        a_transposed(c.str("trans")[0] == 't'),
        b_transposed(c.str("trans")[1] == 't') {}
  Shape a_shape() const { return a_transposed ? Shape{k, m} : Shape{m, k}; }
  Shape b_shape() const { return b_transposed ? Shape{n, k} : Shape{k, n}; }
  int64_t m, n, k;
  bool a_transposed, b_transposed;
};

void validate(const Case& c) {
  const Matmul s(c);
  require_size("matmul", "a", s.a_shape());
  require_size("matmul", "b", s.b_shape());
  require_size("matmul", "c", {s.m, s.n});
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Matmul s(c);
  const auto [lo, hi] = c.range("range");
  return {{"a", s.a_shape(), lo, hi}, {"b", s.b_shape(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{"c", {c.integer("m"), c.integer("n")}}};
}

// a [m,k] or [k,m], b [k,n] or [n,k], c [m,n]. The order i,p,j keeps c's row in cache.
void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Matmul s(c);
  const float* a = in[0].data().data();
  const float* b = in[1].data().data();
  for (int64_t i = 0; i < s.m; ++i) {
    double* row = &out[0].data[i * s.n];
    for (int64_t p = 0; p < s.k; ++p) {
      const double left = s.a_transposed ? a[p * s.m + i] : a[i * s.k + p];
      const float* right = s.b_transposed ? b + p : b + p * s.n;
      const int64_t step = s.b_transposed ? s.k : 1;
      for (int64_t j = 0; j < s.n; ++j) row[j] += left * right[j * step];
    }
  }
}

Work work_of(const Case& c) {
  const Matmul s(c);
  const double macs =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "matmul",
             .summary = "Matrix product c[m,n] = a * b; trans tells which of a, b are stored "
                        "transposed.",
             .params = {{.name = "m", .choices = {}, .absent = {}},
                        {.name = "n", .choices = {}, .absent = {}},
                        {.name = "k", .choices = {}, .absent = {}},
                        {.name = "trans",
                         .kind = ParamKind::kChoice,
                         .choices = {"nn", "nt", "tn", "tt"},
                         .absent = {}},
                        range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance =
        [](const Case& c) {
          return accumulation_tolerance(static_cast<double>(c.integer("k")), uniform_of(c),
                                        uniform_of(c));
        },
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
