// dense: y[n,o] = b[o] + sum_i x[n,i] * w[o,i], and its gradients. `w` says how the weights are
// stored: oi is [out,in], io is [in,out].
#include "reference/spec/spec.h"
#include "reference/spec/types.h"
#include "reference/spec/weighted.h"

namespace nsop::reference {
namespace {

struct Dense {
  explicit Dense(const Case& c)
      : batch(c.shape("in")[0]),
        in(c.shape("in")[1]),
        out(c.integer("out")),
        oi(c.str("w") == "oi") {}
  int64_t w_index(int64_t o, int64_t i) const { return oi ? o * in + i : i * out + o; }

  int64_t batch, in, out;
  bool oi;
};

Weighted weighted(const Case& c) {
  const Dense s(c);
  return {{c.str("pass")}, {s.batch, s.in},  s.oi ? Shape{s.out, s.in} : Shape{s.in, s.out},
          {s.out},         {s.batch, s.out}, c.flag("bias")};
}

void validate(const Case& c) {
  const Weighted s = weighted(c);
  require_size("dense", "x", s.x);
  require_size("dense", "w", s.w);
  require_size("dense", "y", s.y);
}

std::vector<InputSpec> inputs_of(const Case& c) { return weighted_inputs(weighted(c), c); }
std::vector<OutputSpec> outputs_of(const Case& c) { return weighted_outputs(weighted(c)); }

using In = WeightedOracle::In;
using Out = WeightedOracle::Out;

// x [batch,in], w [out,in] or [in,out], y [batch,out]
void forward(const Dense& s, In x, In w, In b, Out y) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      double sum = b.empty() ? 0 : b[o];
      for (int64_t i = 0; i < s.in; ++i) {
        sum += static_cast<double>(x[n * s.in + i]) * w[s.w_index(o, i)];
      }
      y[n * s.out + o] = sum;
    }
  }
}

void backward_data(const Dense& s, In w, In dy, Out dx) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      const double g = dy[n * s.out + o];
      for (int64_t i = 0; i < s.in; ++i) dx[n * s.in + i] += g * w[s.w_index(o, i)];
    }
  }
}

void backward_weights(const Dense& s, In x, In dy, Out dw) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      const double g = dy[n * s.out + o];
      for (int64_t i = 0; i < s.in; ++i) dw[s.w_index(o, i)] += g * x[n * s.in + i];
    }
  }
}

void backward_bias(const Dense& s, In dy, Out db) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) db[o] += dy[n * s.out + o];
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Dense s(c);
  const WeightedOracle parts = {
      .forward = [&](In x, In w, In b, Out y) { forward(s, x, w, b, y); },
      .data = [&](In w, In dy, Out dx) { backward_data(s, w, dy, dx); },
      .weights = [&](In x, In dy, Out dw) { backward_weights(s, x, dy, dw); },
      .bias = [&](In dy, Out db) { backward_bias(s, dy, db); }};
  run_oracle(weighted(c), parts, in, out);
}

// Every output element sums over: in, from a bias (y), out (dx), batch (dw, db).
std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const Dense s(c);
  const Uniform values = uniform_of(c);
  const auto sum_over = [&](int64_t terms) {
    return accumulation_tolerance(static_cast<double>(terms), values, values);
  };
  return in_order(weighted(c), {.y = sum_over(s.in),
                                .from_bias = offset_tolerance(static_cast<double>(s.in), values),
                                .dx = sum_over(s.out),
                                .dw = sum_over(s.batch),
                                .db = plain_sum_tolerance(static_cast<double>(s.batch), values)});
}

Work work_of(const Case& c) {
  const Dense s(c);
  const double macs =
      static_cast<double>(s.batch) * static_cast<double>(s.in) * static_cast<double>(s.out);
  return weighted_work(weighted(c), c, macs);
}

const OpRow row{with_types(Op{
    .spec = {.name = "dense",
             .summary = "Fully connected layer, y = x * w + b, and its gradients.",
             .params =
                 {weighted_pass_param(),
                  {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 2, .absent = {}},
                  param("out", ParamKind::kCount),
                  param("bias", ParamKind::kFlag),
                  {.name = "w", .kind = ParamKind::kChoice, .choices = {"oi", "io"}, .absent = {}},
                  range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of_case,
    .work = work_of,
})};

}  // namespace
}  // namespace nsop::reference
