#include "reference/norm/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nsop::reference {
namespace {

using Floats = std::span<const float>;
using Doubles = std::span<double>;

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }
bool is_given(const Norm& n, const Case& c) { return n.given_statistics && n.given_statistics(c); }
std::string inv_name(const Norm& n) { return n.centred ? "inv_std" : "inv_rms"; }

std::vector<InputSpec> inputs_of(const Norm& n, const Case& c) {
  const NormLayout l = n.layout(c);
  const auto [lo, hi] = c.range("range");
  std::vector<InputSpec> in = {{"x", l.x_shape, lo, hi}, {"gamma", l.affine_shape, 0.5, 1.5}};
  if (is_forward(c) && n.centred) in.push_back({"beta", l.affine_shape, -1, 1});
  if (is_given(n, c)) {
    in.push_back({"mean", l.statistic_shape, lo, hi});
    in.push_back({"var", l.statistic_shape, 0.5, 1.5});
  }
  if (is_forward(c)) return in;
  if (n.centred && !is_given(n, c)) in.push_back({"mean", l.statistic_shape, 0, 1});
  if (!is_given(n, c)) in.push_back({inv_name(n), l.statistic_shape, 0, 1});
  in.push_back({"dy", l.x_shape, lo, hi});
  return in;
}

std::vector<OutputSpec> outputs_of(const Norm& n, const Case& c) {
  const NormLayout l = n.layout(c);
  std::vector<OutputSpec> out = {{is_forward(c) ? "y" : "dx", l.x_shape}};
  if (is_given(n, c) && is_forward(c)) return out;
  if (!is_forward(c)) {
    out.push_back({"dgamma", l.affine_shape});
    if (n.centred) out.push_back({"dbeta", l.affine_shape});
    return out;
  }
  if (n.centred) out.push_back({"mean", l.statistic_shape});
  out.push_back({inv_name(n), l.statistic_shape});
  return out;
}

struct Statistics {
  double mean;
  double inv;
  bool constant = false;  // given, no functions of x
};

// Of one group, by the definition: first the mean, then the squares around it.
Statistics statistics_of(const NormLayout& l, bool centred, Floats x, int64_t g) {
  double sum = 0;
  for (int64_t i = 0; centred && i < l.count; ++i) sum += x[l.at(g, i)];
  const double mean = sum / static_cast<double>(l.count);
  double squares = 0;
  for (int64_t i = 0; i < l.count; ++i) {
    const double d = x[l.at(g, i)] - mean;
    squares += d * d;
  }
  return {mean, 1 / std::sqrt(squares / static_cast<double>(l.count) + kNormEpsilon)};
}

void normalise(const NormLayout& l, std::span<const Tensor> in, int64_t g, Statistics s,
               Doubles y) {
  const bool shifted = in.size() > 2;
  for (int64_t i = 0; i < l.count; ++i) {
    const int64_t at = l.at(g, i);
    const int64_t affine = l.affine_at(g, i);
    y[at] = (in[0].data()[at] - s.mean) * s.inv * in[1].data()[affine];
    if (shifted) y[at] += in[2].data()[affine];
  }
}

void forward(const Norm& n, const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const NormLayout l = n.layout(c);
  for (int64_t g = 0; g < l.groups; ++g) {
    if (is_given(n, c)) {
      const double inv = 1 / std::sqrt(in[4].data()[g] + kNormEpsilon);
      normalise(l, in, g, {in[3].data()[g], inv}, out[0].data);
      continue;
    }
    const Statistics s = statistics_of(l, n.centred, in[0].data(), g);
    normalise(l, in, g, s, out[0].data);
    if (n.centred) out[1].data[g] = s.mean;
    out.back().data[g] = s.inv;
  }
}

// Of one group. With h = (x - mean) * inv and q = dy * gamma, the derivative of y through x, the
// mean and inv is dx = inv * (q - mean of q - h * mean of (q * h)); through x alone it is inv * q.
void group_backward(const NormLayout& l, bool centred, std::span<const Tensor> in, int64_t g,
                    Statistics s, std::span<TensorF64> out) {
  const Floats x = in[0].data();
  const Floats gamma = in[1].data();
  const Floats dy = in.back().data();
  double sum = 0;
  double product = 0;
  for (int64_t i = 0; i < l.count; ++i) {
    const double h = (x[l.at(g, i)] - s.mean) * s.inv;
    const double d = dy[l.at(g, i)];
    const int64_t affine = l.affine_at(g, i);
    sum += d * gamma[affine];
    product += d * gamma[affine] * h;
    out[1].data[affine] += d * h;
    if (centred) out[2].data[affine] += d;
  }
  if (s.constant) sum = product = 0;
  const double count = static_cast<double>(l.count);
  for (int64_t i = 0; i < l.count; ++i) {
    const int64_t at = l.at(g, i);
    const double h = (x[at] - s.mean) * s.inv;
    const double q = static_cast<double>(dy[at]) * gamma[l.affine_at(g, i)];
    out[0].data[at] = s.inv * (q - (centred ? sum / count : 0) - h * product / count);
  }
}

void oracle(const Norm& n, const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  if (is_forward(c)) return forward(n, c, in, out);
  const NormLayout l = n.layout(c);
  for (int64_t g = 0; g < l.groups; ++g) {
    Statistics s = {n.centred ? in[2].data()[g] : 0.0, in[in.size() - 2].data()[g]};
    if (is_given(n, c)) s = {s.mean, 1 / std::sqrt(s.inv + kNormEpsilon), true};
    group_backward(l, n.centred, in, g, s, out);
  }
}

// A backward pass is given the statistics of its x, as a forward pass saves them.
void save_statistics(const Norm& n, const Case& c, std::span<Tensor> in) {
  if (is_forward(c) || is_given(n, c)) return;
  const NormLayout l = n.layout(c);
  for (int64_t g = 0; g < l.groups; ++g) {
    const Statistics s = statistics_of(l, n.centred, in[0].data(), g);
    if (n.centred) in[2].data()[g] = static_cast<float>(s.mean);
    in[in.size() - 2].data()[g] = static_cast<float>(s.inv);
  }
}

// Derivation, u being the unit roundoff. A mean of K values is off by `mean`, the accumulation of
// K values of that range. The variance is a mean of squares, all positive: relative error
// 5/3 sqrt(K) u (see accumulation_tolerance) and some u for forming them, of which inv_std has half
// (the mean's error enters squared, which is nothing).
//
// y = (x - mean) * inv * gamma + beta is off by gamma * inv * (error of mean + u * |x|) for the
// subtraction, plus gamma * |x - mean| * inv times the relative error of inv and of the products.
// In a large group inv is 1 / standard deviation within a factor of two; in a small one nothing is
// sure but inv <= 1 / sqrt(epsilon). |x - mean| * inv is at most the root of K, and at most the
// width of the range times inv.
struct ErrorModel {
  ErrorModel(double count, Uniform x_values, bool centred) : k(count), x(x_values) {
    const double variance = (x.hi - x.lo) * (x.hi - x.lo) / 12;
    const double square = centred ? variance : x.root_mean_square() * x.root_mean_square();
    const double least = k >= 16 ? square / 4 : 0;
    inv = 1 / std::sqrt(least + kNormEpsilon);
    largest_x = std::max(std::fabs(x.lo), std::fabs(x.hi));
    const double farthest = centred ? x.hi - x.lo : largest_x;
    largest_h = std::min(std::sqrt(k), farthest * inv);
    mean = centred ? average_tolerance(k, x.mean(), x.root_mean_square()).absolute +
                         2 * kUnitRoundoff * largest_x
                   : 0;
    inv_relative = kUnitRoundoff * (8 + 5.0 / 6 * std::sqrt(k));
  }

  double k;
  Uniform x;
  double inv;           // at most
  double largest_x;     // |x| at most
  double largest_h;     // |x - mean| * inv at most
  double mean;          // error of the mean
  double inv_relative;  // relative error of inv_std
};

constexpr double kLargestGamma = 1.5;

std::vector<Tolerance> forward_tolerances(const Norm& n, const ErrorModel& e, bool given) {
  const double subtraction = e.inv * ((given ? 0 : e.mean) + 2 * kUnitRoundoff * e.largest_x);
  const double products = e.largest_h * ((given ? 0 : e.inv_relative) + 8 * kUnitRoundoff);
  const Tolerance y = {
      .absolute = kLargestGamma * (subtraction + products) + (n.centred ? 2 * kUnitRoundoff : 0),
      .relative = 4 * kUlp};
  if (given) return {y};
  const Tolerance mean = {.absolute = e.mean, .relative = 4 * kUlp};
  const Tolerance inv = {.absolute = 0, .relative = e.inv_relative};
  if (!n.centred) return {y, inv};
  return {y, mean, inv};
}

// dx = inv * (q - S/K - h * P/K). The means S/K and P/K of q and of q*h, |q| <= Q, |h| about 1, are
// off by the accumulation of K such values; none is larger than Q. Each of the three terms is
// formed with a handful of roundings, and h has the absolute error of its subtraction.
// dgamma and dbeta sum dy*h and dy over all that share them.
std::vector<Tolerance> backward_tolerances(const Norm& n, const ErrorModel& e, double shared) {
  const Uniform dy = e.x;
  const double q = kLargestGamma * e.largest_x;
  const double mean_q =
      average_tolerance(e.k, kLargestGamma * dy.mean(), kLargestGamma * dy.root_mean_square())
          .absolute;
  const double h_error = 2 * kUnitRoundoff * (e.inv * e.largest_x + e.largest_h);
  const double mean_qh = 8 * kUnitRoundoff * q + mean_q + q * h_error;
  const double roundings = 8 * kUnitRoundoff * q * (2 + e.largest_h);
  const Tolerance dx = {
      .absolute = e.inv * (roundings + mean_q + e.largest_h * mean_qh + q * h_error),
      .relative = 4 * kUlp};
  Tolerance dgamma = accumulation_tolerance(shared, dy, {-std::sqrt(3.0), std::sqrt(3.0)});
  if (!n.centred) dgamma = wider(dgamma, accumulation_tolerance(shared, dy, {0, 2}));
  dgamma.absolute += std::sqrt(shared) * 5 * dy.root_mean_square() * h_error;
  if (!n.centred) return {dx, dgamma};
  return {dx, dgamma, plain_sum_tolerance(shared, dy)};
}

// With given statistics dx = dy * gamma * inv is a product. dgamma sums dy * h, h within the widths
// of the ranges of x and the mean, and off by the subtraction; dbeta sums dy.
std::vector<Tolerance> given_backward_tolerances(const ErrorModel& e, double shared) {
  const Uniform dy = e.x;
  const double h_error = 4 * kUnitRoundoff * (e.inv * e.largest_x + e.largest_h);
  Tolerance dgamma = accumulation_tolerance(shared, dy, {-e.largest_h, e.largest_h});
  dgamma.absolute += std::sqrt(shared) * 5 * dy.root_mean_square() * h_error;
  return {{.absolute = 0, .relative = 4 * kUlp}, dgamma, plain_sum_tolerance(shared, dy)};
}

std::vector<Tolerance> tolerances_of(const Norm& n, const Case& c) {
  const NormLayout l = n.layout(c);
  const bool given = is_given(n, c);
  // Given statistics belong to no group: |x - mean| is what the ranges of both allow.
  ErrorModel e(given ? 1e30 : static_cast<double>(l.count), uniform_of(c), n.centred);
  if (given) {
    e.inv = 1 / std::sqrt(0.5);
    e.largest_h = (e.x.hi - e.x.lo) * e.inv;
  }
  if (is_forward(c)) return forward_tolerances(n, e, given);
  const auto shared = static_cast<double>(l.shared());
  return given ? given_backward_tolerances(e, shared) : backward_tolerances(n, e, shared);
}

// Forward: the sum, the squares, the scaling. Backward: two sums with their products, the result.
Work work_of(const Norm& n, const Case& c) {
  const auto elements = static_cast<double>(element_count(n.layout(c).x_shape));
  const double forward_flops = is_given(n, c) ? 4 : n.centred ? 7 : 4;
  const double backward_flops = is_given(n, c) ? 5 : n.centred ? 13 : 11;
  return {.flops = elements * (is_forward(c) ? forward_flops : backward_flops),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(n, c), outputs_of(n, c))};
}

}  // namespace

ParamSpec norm_channels_param() {
  return {.name = "in", .kind = ParamKind::kShape, .choices = {}, .absent = {}};
}

void validate_norm_channels(const Case& c) {
  const Shape in = c.shape("in");
  require(in.size() >= 3 && in.size() <= 5, c.op(),
          fmt::format("in={} has {} extents, expected [n,c,l], [n,c,h,w] or [n,c,d,h,w]",
                      c.str("in"), in.size()));
  require_size(c.op(), "x", in);
}

int64_t norm_pixels(const Case& c) {
  const Shape in = c.shape("in");
  return element_count(in) / (in[0] * in[1]);
}

Op norm_op(const Norm& n) {
  Op op;
  op.spec = n.spec;
  op.validate = n.validate;
  op.inputs = [n](const Case& c) { return inputs_of(n, c); };
  op.outputs = [n](const Case& c) { return outputs_of(n, c); };
  op.shape_inputs = [n](const Case& c, std::span<Tensor> in) { save_statistics(n, c, in); };
  op.oracle = [n](const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
    oracle(n, c, in, out);
  };
  op.output_tolerances = [n](const Case& c) { return tolerances_of(n, c); };
  op.work = [n](const Case& c) { return work_of(n, c); };
  return op;
}

}  // namespace nsop::reference
