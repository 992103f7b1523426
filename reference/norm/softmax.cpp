// softmax: y = exp(x - m) / s along an axis, m = max(x), s = sum of exp(x - m);
// log_softmax: y = x - m - log(s). Backward, from the saved output y:
// softmax dx = y * (dy - sum(y * dy)), log_softmax dx = dy - exp(y) * sum(dy).
//
// A line with a NaN or +inf is all NaN, and so is one of nothing but -inf (0 / 0), as in PyTorch.
#include <cmath>

#include "reference/spec/axis.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }
bool is_log(const Case& c) { return c.op() == "log_softmax"; }

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  if (is_forward(c)) return {{"x", c.shape("n"), lo, hi}};
  return {{"y", c.shape("n"), lo, hi}, {"dy", c.shape("n"), -1, 1}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{is_forward(c) ? "y" : "dx", c.shape("n")}};
}

void forward_line(const Line& x, bool log, double* y) {
  double largest = x[0];
  for (int64_t i = 1; i < x.length; ++i) largest = std::max(largest, x[i]);
  double sum = 0;
  for (int64_t i = 0; i < x.length; ++i) sum += std::exp(x[i] - largest);
  for (int64_t i = 0; i < x.length; ++i) {
    const double shifted = x[i] - largest;
    y[i * x.stride] = log ? shifted - std::log(sum) : std::exp(shifted) / sum;
  }
}

void backward_line(const Line& y, const Line& dy, bool log, double* dx) {
  double sum = 0;
  for (int64_t i = 0; i < y.length; ++i) sum += log ? dy[i] : y[i] * dy[i];
  for (int64_t i = 0; i < y.length; ++i) {
    dx[i * y.stride] = log ? dy[i] - std::exp(y[i]) * sum : y[i] * (dy[i] - sum);
  }
}

void forward(const Case& c, const float* x, double* y) {
  for_each_line(axis_shape_of(c), x, [&](const Line& line, int64_t) {
    forward_line(line, is_log(c), y + (line.first - x));
  });
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const float* first = in[0].data().data();
  double* result = out[0].data.data();
  if (is_forward(c)) return forward(c, first, result);
  for_each_line(axis_shape_of(c), first, [&](const Line& y, int64_t) {
    const int64_t at = y.first - first;
    const Line dy = {in[1].data().data() + at, y.length, y.stride};
    backward_line(y, dy, is_log(c), result + at);
  });
}

// The backward pass must be given an output that the forward pass can produce.
void save_output(const Case& c, std::span<Tensor> inputs) {
  if (is_forward(c)) return;
  const std::span<float> x = inputs[0].data();
  std::vector<double> y(x.size());
  forward(c, x.data(), y.data());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(y[i]);
}

// What the errors depend on: the length K of a line, the spread w of its values, and the largest
// probability: one value lies at the upper end of the range, the others at the lower end.
struct Spread {
  explicit Spread(const Case& c) {
    const auto [lo, hi] = c.range("range");
    terms = static_cast<double>(axis_shape_of(c).length);
    width = hi - lo;
    largest = 1 / (1 + (terms - 1) * std::exp(-width));
  }
  double terms, width, largest;
};

constexpr double kExpError = 6 * kUlp;  // of the vector function, as for other activations
constexpr double kSmallest = 0x1p-126;  // results below the normal numbers may be flushed to zero

// The relative error of exp(x - m) and their sum. Subtracting rounds by u w, which is relative in
// the exponential; the sum of positive terms drifts by 5/3 u sqrt(K) (see spec.cpp) and its terms
// have the error of the exponential.
double sum_error(const Spread& s) {
  return kUnitRoundoff * (s.width + 5.0 / 3 * std::sqrt(s.terms) + 3) + kExpError;
}

// softmax: numerator, sum, reciprocal and product. log_softmax: the relative error of s is an
// absolute one of log(s) <= log(K); differences of size w and w + log(K) round, log to 2 ULP.
Tolerance forward_tolerance(const Spread& s, bool log) {
  if (!log) {
    const double numerator = kUnitRoundoff * s.width + kExpError;
    return {.absolute = kSmallest, .relative = numerator + sum_error(s) + 2 * kUlp};
  }
  const double rounding = kUnitRoundoff * (2 * s.width + 5 * std::log(s.terms) + 2);
  return {.absolute = sum_error(s) + rounding, .relative = kUlp};
}

// softmax: |y dy| sums to at most 1, so K additions round by at most u each: five times the root of
// their variance, 5 u sqrt(K/3); that times y, and three roundings of y (dy - sum), |dy - sum|
// <= 2. log_softmax: the sum of K values in -1:1 (plain_sum_tolerance) times exp(y), which
// errs as the function does, on sums of up to 5 sqrt(K/3).
Tolerance backward_tolerance(const Spread& s, bool log) {
  const double five_sigma = 5 * std::sqrt(s.terms / 3);
  if (!log) {
    return {.absolute = s.largest * kUnitRoundoff * (five_sigma + 6), .relative = 2 * kUlp};
  }
  const double sum = plain_sum_tolerance(s.terms, {-1, 1}).absolute;
  const double product = s.largest * (sum + (kExpError + kUlp) * (five_sigma + 1));
  return {.absolute = product + kUlp, .relative = 2 * kUlp};
}

Tolerance tolerance_of(const Case& c) {
  const Spread s(c);
  return is_forward(c) ? forward_tolerance(s, is_log(c)) : backward_tolerance(s, is_log(c));
}

// The price list of tanh.cpp: forward a maximum, a difference, an exponential (5), an addition and
// a quotient; backward two products, a sum and a difference.
Work work_of(const Case& c) {
  const auto elements = static_cast<double>(element_count(c.shape("n")));
  return {.flops = elements * (is_forward(c) ? 9 : 4),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

Op softmax_op(const std::string& name, const std::string& summary) {
  return {
      .spec = {.name = name,
               .summary = summary,
               .params = {pass_param({"forward", "backward"}), shape_param(),
                          axis_param(Axes::kOne), range_param()}},
      .validate = [name](const Case& c) { require_axis(name, c); },
      .inputs = inputs_of,
      .outputs = outputs_of,
      .shape_inputs = save_output,
      .oracle = oracle,
      .tolerance = tolerance_of,
      .work = work_of,
  };
}

const OpRow softmax_row{softmax_op("softmax", "exp(x) over its sum along an axis.")};
const OpRow log_softmax_row{softmax_op("log_softmax", "The logarithm of softmax along an axis.")};

}  // namespace
}  // namespace nsop::reference
