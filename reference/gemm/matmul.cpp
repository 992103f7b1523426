// matmul: c[m,n] = act(op(a) * op(b) + bias). `trans` says how a and b are stored: n as used,
// t transposed. With batch > 1, a, b and c are so many matrices that share the bias [n].
#include <cmath>

#include "reference/spec/spec.h"
#include "reference/spec/types.h"

namespace nsop::reference {
namespace {

struct Matmul {
  explicit Matmul(const Case& c)
      : m(c.integer("m")),
        n(c.integer("n")),
        k(c.integer("k")),
        batch(c.integer("batch")),
        a_transposed(c.str("trans")[0] == 't'),
        b_transposed(c.str("trans")[1] == 't'),
        bias(c.flag("bias")) {}
  // [rows, columns], as many as the batch has.
  Shape batched(int64_t rows, int64_t columns) const {
    return batch == 1 ? Shape{rows, columns} : Shape{batch, rows, columns};
  }
  Shape a_shape() const { return a_transposed ? batched(k, m) : batched(m, k); }
  Shape b_shape() const { return b_transposed ? batched(n, k) : batched(k, n); }
  Shape c_shape() const { return batched(m, n); }
  int64_t m, n, k, batch;
  bool a_transposed, b_transposed, bias;
};

// What is done to a sum at the end, and what that makes of the sum's error: |error of y| <=
// slope * |error of v|, an error of e * |v| moves y by at most e * (spread + stretch * |y|), and
// computing y in float adds `own`.
struct Activation {
  std::string name;
  double (*apply)(double v);
  double flops;  // per element, after a price list common in framework benchmarks
  double slope;
  double spread;
  double stretch;
  Tolerance own;
};

constexpr Tolerance kExact = {.absolute = 0, .relative = 0};
constexpr Tolerance kSixUlp = {.absolute = 0x1p-126, .relative = 6 * kUlp};

double gelu(double v) {
  constexpr double kRootTwoOverPi = 0.7978845608028654;
  return 0.5 * v * (1 + std::tanh(kRootTwoOverPi * (v + 0.044715 * v * v * v)));
}

// tanh: v tanh'(v) / tanh(v) <= 1. sigmoid: slope <= 1/4, |v| sigmoid'(v) <= 0.224. gelu: slope <=
// 1.13; v gelu'(v) / gelu(v) <= 1.3 for v > 0 and |v gelu'(v)| <= 0.2 below. Its own error: four
// roundings of the argument z of 1 + tanh move y by 4 u |v z| / (2 cosh^2 z) <= u, its tanh or
// exponential by 6 ULP of y.
const Activation& activation_of(const Case& c) {
  static const std::vector<Activation> all = {
      {"none", [](double v) { return v; }, 0, 1, 0, 1, kExact},
      {"relu", [](double v) { return v > 0 ? v : 0.0; }, 1, 1, 0, 1, kExact},
      {"tanh", [](double v) { return std::tanh(v); }, 5, 1, 0, 1, kSixUlp},
      {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }, 8, 0.25, 0.25, 0, kSixUlp},
      {"gelu", gelu, 12, 1.13, 0.2, 1.3, {.absolute = 2 * kUnitRoundoff, .relative = 8 * kUlp}},
  };
  for (const Activation& activation : all) {
    if (activation.name == c.str("act")) return activation;
  }
  return all.front();  // unreachable: the parser admits the choices below only
}

void validate(const Case& c) {
  const Matmul s(c);
  require_size("matmul", "a", s.a_shape());
  require_size("matmul", "b", s.b_shape());
  require_size("matmul", "c", s.c_shape());
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Matmul s(c);
  const auto [lo, hi] = c.range("range");
  std::vector<InputSpec> inputs = {{"a", s.a_shape(), lo, hi}, {"b", s.b_shape(), lo, hi}};
  if (s.bias) inputs.push_back({"bias", {s.n}, lo, hi});
  return inputs;
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"c", Matmul(c).c_shape()}}; }

// a [m,k] or [k,m], b [k,n] or [n,k], c [m,n]. The order i,p,j keeps c's row in cache.
void multiply(const Matmul& s, const float* a, const float* b, double* c) {
  for (int64_t i = 0; i < s.m; ++i) {
    double* row = c + i * s.n;
    for (int64_t p = 0; p < s.k; ++p) {
      const double left = s.a_transposed ? a[p * s.m + i] : a[i * s.k + p];
      const float* right = s.b_transposed ? b + p : b + p * s.n;
      const int64_t step = s.b_transposed ? s.k : 1;
      for (int64_t j = 0; j < s.n; ++j) row[j] += left * right[j * step];
    }
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Matmul s(c);
  const Activation& activation = activation_of(c);
  std::vector<double>& y = out[0].data;
  for (int64_t i = 0; i < s.batch; ++i) {
    multiply(s, in[0].data().data() + i * s.m * s.k, in[1].data().data() + i * s.k * s.n,
             y.data() + i * s.m * s.n);
  }
  for (size_t i = 0; i < y.size(); ++i) {
    if (s.bias) y[i] += in[2].data()[i % static_cast<size_t>(s.n)];
    y[i] = activation.apply(y[i]);
  }
}

Tolerance tolerance_of(const Case& c) {
  const auto terms = static_cast<double>(c.integer("k"));
  const Uniform values = uniform_of(c);
  Tolerance sum = accumulation_tolerance(terms, values, values);
  if (c.flag("bias")) sum = wider(sum, offset_tolerance(terms, values));
  const Activation& f = activation_of(c);
  return {.absolute = f.slope * sum.absolute + f.spread * sum.relative + f.own.absolute,
          .relative = f.stretch * sum.relative + f.own.relative};
}

Work work_of(const Case& c) {
  const Matmul s(c);
  const auto elements = static_cast<double>(element_count(s.c_shape()));
  const double macs = elements * static_cast<double>(s.k);
  const double last = (s.bias ? 1 : 0) + activation_of(c).flops;
  return {.flops = 2 * macs + last * elements,
          .macs = macs,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

ParamSpec count_param(std::string name) {
  return {.name = std::move(name), .choices = {}, .absent = {}};
}

const OpRow row{with_types(Op{
    .spec = {.name = "matmul",
             .summary = "Matrix product c[m,n] = act(a * b + bias); trans tells which of a, b are "
                        "stored transposed.",
             .params = {count_param("m"),
                        count_param("n"),
                        count_param("k"),
                        {.name = "trans",
                         .kind = ParamKind::kChoice,
                         .choices = {"nn", "nt", "tn", "tt"},
                         .absent = {}},
                        {.name = "batch", .choices = {}, .absent = "1"},
                        {.name = "bias", .kind = ParamKind::kFlag, .choices = {}, .absent = "0"},
                        {.name = "act",
                         .kind = ParamKind::kChoice,
                         .choices = {"none", "relu", "tanh", "sigmoid", "gelu"},
                         .absent = "none"},
                        range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
})};

}  // namespace
}  // namespace nsop::reference
