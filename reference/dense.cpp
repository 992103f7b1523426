// dense: y[n,o] = b[o] + sum_i x[n,i] * w[o,i], and its gradients. `w` says how the weights are
// stored: oi is [out,in], io is [in,out].
#include "reference/spec.h"

namespace nsop::reference {
namespace {

struct Dense {
  explicit Dense(const Case& c)
      : batch(c.shape("in")[0]),
        in(c.shape("in")[1]),
        out(c.integer("out")),
        bias(c.flag("bias")),
        oi(c.str("w") == "oi"),
        pass(c.str("pass")) {}
  Shape x_shape() const { return {batch, in}; }
  Shape y_shape() const { return {batch, out}; }
  Shape w_shape() const { return oi ? Shape{out, in} : Shape{in, out}; }
  int64_t w_index(int64_t o, int64_t i) const { return oi ? o * in + i : i * out + o; }
  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }

  int64_t batch, in, out;
  bool bias, oi;
  std::string pass;
};

void validate(const Case& c) {
  const Dense s(c);
  require_size("dense", "x", s.x_shape());
  require_size("dense", "w", s.w_shape());
  require_size("dense", "y", s.y_shape());
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Dense s(c);
  const auto [lo, hi] = c.range("range");
  const InputSpec x{"x", s.x_shape(), lo, hi};
  const InputSpec w{"w", s.w_shape(), lo, hi};
  const InputSpec b{"b", {s.out}, lo, hi};
  const InputSpec dy{"dy", s.y_shape(), lo, hi};
  if (s.pass == "forward") return s.bias ? std::vector{x, w, b} : std::vector{x, w};
  if (s.pass == "backward") return {x, w, dy};
  if (s.pass == "backward_data") return {w, dy};
  return {x, dy};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const Dense s(c);
  if (s.pass == "forward") return {{"y", s.y_shape()}};
  std::vector<OutputSpec> outputs;
  if (s.wants_data()) outputs.push_back({"dx", s.x_shape()});
  if (s.wants_weights()) outputs.push_back({"dw", s.w_shape()});
  if (s.wants_weights() && s.bias) outputs.push_back({"db", {s.out}});
  return outputs;
}

// x [batch,in], w [out,in] or [in,out], y [batch,out]
void forward(const Dense& s, const float* x, const float* w, const float* b, double* y) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      double sum = b == nullptr ? 0 : b[o];
      for (int64_t i = 0; i < s.in; ++i) {
        sum += static_cast<double>(x[n * s.in + i]) * w[s.w_index(o, i)];
      }
      y[n * s.out + o] = sum;
    }
  }
}

void backward_data(const Dense& s, const float* w, const float* dy, double* dx) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      const double g = dy[n * s.out + o];
      for (int64_t i = 0; i < s.in; ++i) dx[n * s.in + i] += g * w[s.w_index(o, i)];
    }
  }
}

void backward_weights(const Dense& s, const float* x, const float* dy, double* dw, double* db) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      const double g = dy[n * s.out + o];
      if (db != nullptr) db[o] += g;
      for (int64_t i = 0; i < s.in; ++i) dw[s.w_index(o, i)] += g * x[n * s.in + i];
    }
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Dense s(c);
  const auto input = [&](size_t i) { return in[i].data().data(); };
  if (s.pass == "forward") {
    return forward(s, input(0), input(1), s.bias ? input(2) : nullptr, out[0].data.data());
  }
  const float* dy = in.back().data().data();
  size_t next = 0;
  if (s.wants_data())
    backward_data(s, input(s.wants_weights() ? 1 : 0), dy, out[next++].data.data());
  if (s.wants_weights()) {
    double* dw = out[next++].data.data();
    backward_weights(s, input(0), dy, dw, s.bias ? out[next].data.data() : nullptr);
  }
}

// Every output element sums over: in, from a bias (y), out (dx), batch (dw, db).
std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const Dense s(c);
  const Uniform values = uniform_of(c);
  const auto sum_over = [&](int64_t terms) {
    return accumulation_tolerance(static_cast<double>(terms), values, values);
  };
  if (s.pass == "forward") {
    const Tolerance y = sum_over(s.in);
    return {s.bias ? wider(y, offset_tolerance(static_cast<double>(s.in), values)) : y};
  }
  std::vector<Tolerance> tolerances;
  if (s.wants_data()) tolerances.push_back(sum_over(s.out));
  if (s.wants_weights()) tolerances.push_back(sum_over(s.batch));
  if (s.wants_weights() && s.bias) {
    tolerances.push_back(plain_sum_tolerance(static_cast<double>(s.batch), values));
  }
  return tolerances;
}

Work work_of(const Case& c) {
  const Dense s(c);
  const double products = s.pass == "backward" ? 2 : 1;
  const double macs = products * static_cast<double>(s.batch) * static_cast<double>(s.in) *
                      static_cast<double>(s.out);
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "dense",
             .summary = "Fully connected layer, y = x * w + b, and its gradients.",
             .params =
                 {pass_param({"forward", "backward", "backward_data", "backward_weights"}),
                  {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 2, .absent = {}},
                  {.name = "out", .choices = {}, .absent = {}},
                  {.name = "bias", .kind = ParamKind::kFlag, .choices = {}, .absent = {}},
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
}};

}  // namespace
}  // namespace nsop::reference
