// loss: the mean loss of predictions x against targets t, and its gradient. It has the
// formulas and reductions of PyTorch's MSELoss, HuberLoss (delta 1), CrossEntropyLoss (of logits
// [N,C], targets are class numbers [N]) and BCEWithLogitsLoss.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

using Floats = std::span<const float>;

bool by_class(const Case& c) { return c.str("kind") == "cross_entropy"; }

int64_t classes_of(const Case& c) { return c.shape("n")[1]; }

Shape target_shape(const Case& c) {
  const Shape n = c.shape("n");
  return by_class(c) ? Shape{n[0]} : n;
}

double terms_of(const Case& c) { return static_cast<double>(element_count(target_shape(c))); }

void validate(const Case& c) {
  const Shape n = c.shape("n");
  require(!by_class(c) || n.size() == 2, "loss",
          "kind=cross_entropy takes n=" + c.str("n") + ", expected samples x classes");
  require_size("loss", "x", n);
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  const bool shares = by_class(c) || c.str("kind") == "bce";  // targets in (0, 1) at first
  return {{"x", c.shape("n"), lo, hi}, {"t", target_shape(c), shares ? 0 : lo, shares ? 1 : hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"value", {1}}, {"dx", c.shape("n")}}; }

void shape_inputs(const Case& c, std::span<Tensor> in) {
  if (!by_class(c)) return;
  const auto classes = static_cast<float>(classes_of(c));
  for (float& t : in[1].data()) t = std::min(std::floor(t * classes), classes - 1);
}

// Of one element: its term and the derivative of that.
struct Term {
  double value, slope;
};

Term mse(double x, double t) { return {(x - t) * (x - t), 2 * (x - t)}; }

Term huber(double x, double t) {
  const double d = x - t;
  if (std::fabs(d) <= 1) return {d * d / 2, d};
  return {std::fabs(d) - 0.5, d > 0 ? 1.0 : -1.0};
}

Term bce(double x, double t) {
  const double value = std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::fabs(x)));
  return {value, 1 / (1 + std::exp(-x)) - t};
}

void cross_entropy(const Case& c, Floats x, Floats t, std::span<TensorF64> out) {
  const auto classes = static_cast<size_t>(classes_of(c));
  const double terms = terms_of(c);
  for (size_t row = 0; row < t.size(); ++row) {
    const Floats logits = x.subspan(row * classes, classes);
    const double largest = std::ranges::max(logits);
    double sum = 0;
    for (const float v : logits) sum += std::exp(v - largest);
    const auto chosen = static_cast<size_t>(t[row]);
    out[0].data[0] += (largest + std::log(sum) - logits[chosen]) / terms;
    for (size_t i = 0; i < classes; ++i) {
      const double share = std::exp(logits[i] - largest) / sum;
      out[1].data[row * classes + i] = (share - (i == chosen ? 1 : 0)) / terms;
    }
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Floats x = in[0].data(), t = in[1].data();
  if (by_class(c)) return cross_entropy(c, x, t, out);
  const std::string& kind = c.str("kind");
  const auto term = kind == "mse" ? mse : kind == "huber" ? huber : bce;
  for (size_t i = 0; i < x.size(); ++i) {
    const Term found = term(x[i], t[i]);
    out[0].data[0] += found.value / terms_of(c);
    out[1].data[i] = found.slope / terms_of(c);
  }
}

// The largest term and slope, and by how many units of roundoff each may be off by itself.
struct Bounds {
  double term, slope, roundings;
};

Bounds bounds_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  const double apart = hi - lo;
  const std::string& kind = c.str("kind");
  if (kind == "mse") return {apart * apart, 2 * apart, 6};
  if (kind == "huber") return {apart * apart, std::min(apart, 1.0), 8};
  const double largest = std::max(std::fabs(lo), std::fabs(hi));
  // An exponential of an argument that is off by u * argument is off by that share of itself.
  if (kind == "bce") return {largest + 1, 1, 8 + 2 * largest};
  const double spread = apart + std::log(static_cast<double>(classes_of(c)));
  return {spread, 1, 8 + 4 * (spread + largest)};
}

std::vector<Tolerance> tolerances_of(const Case& c) {
  const Bounds b = bounds_of(c);
  const double own = kUnitRoundoff * b.roundings;
  const Tolerance mean = average_tolerance(terms_of(c), b.term, b.term);
  return {{.absolute = mean.absolute + own * b.term, .relative = mean.relative},
          {.absolute = own * b.slope / terms_of(c), .relative = 4 * kUlp}};
}

double flops_of(const Case& c) {
  const std::string& kind = c.str("kind");
  return kind == "mse" ? 4 : kind == "huber" ? 6 : 8;
}

Work work_of(const Case& c) {
  return {.flops = flops_of(c) * static_cast<double>(element_count(c.shape("n"))),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "loss",
             .summary = "The mean loss of predictions and its gradient, in one call.",
             .params = {{.name = "kind",
                         .kind = ParamKind::kChoice,
                         .choices = {"mse", "huber", "cross_entropy", "bce"},
                         .absent = {}},
                        {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                        range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = shape_inputs,
    .oracle = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
