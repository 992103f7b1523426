// sum, norms, variance, max, min, argmax, argmin: one row each.
//
// NaN: a line with a NaN sums to NaN, its largest and smallest element are NaN, and argmax and
// argmin give the place of its first NaN, as NumPy does.
#include <algorithm>
#include <cmath>

#include "reference/reduce/reduction.h"

namespace nsop::reference {
namespace {

template <class Term>
double sum_of(const Line& line, Term term) {
  double sum = 0;
  for (int64_t i = 0; i < line.length; ++i) sum += term(line[i]);
  return sum;
}

double sum(const Line& line) {
  return sum_of(line, [](double v) { return v; });
}
double norm_l1(const Line& line) {
  return sum_of(line, [](double v) { return std::fabs(v); });
}
double norm_l2(const Line& line) {
  return std::sqrt(sum_of(line, [](double v) { return v * v; }));
}

// The population variance: divided by the number of elements.
double variance(const Line& line) {
  const auto count = static_cast<double>(line.length);
  const double mean = sum(line) / count;
  return sum_of(line, [mean](double v) { return (v - mean) * (v - mean); }) / count;
}

// The place of the first element that no other beats; a NaN beats everything.
template <class Beats>
int64_t first_best(const Line& line, Beats beats) {
  int64_t best = 0;
  for (int64_t i = 0; i < line.length && !std::isnan(line[best]); ++i) {
    if (std::isnan(line[i]) || beats(line[i], line[best])) best = i;
  }
  return best;
}

int64_t largest(const Line& line) {
  return first_best(line, [](double a, double b) { return a > b; });
}
int64_t smallest(const Line& line) {
  return first_best(line, [](double a, double b) { return a < b; });
}
double argmax(const Line& line) { return static_cast<double>(largest(line)); }
double argmin(const Line& line) { return static_cast<double>(smallest(line)); }
double max(const Line& line) { return line[largest(line)]; }
double min(const Line& line) { return line[smallest(line)]; }

double norm_linf(const Line& line) {
  double norm = 0;
  for (int64_t i = 0; i < line.length && !std::isnan(norm); ++i) {
    const double size = std::fabs(line[i]);
    if (!(size <= norm)) norm = size;
  }
  return norm;
}

// |x| of x uniform in a range, or a wider distribution where the range has both signs.
Uniform magnitude_of(Uniform x) {
  const double largest = std::max(std::fabs(x.lo), std::fabs(x.hi));
  const double least = x.lo < 0 && x.hi > 0 ? 0 : std::min(std::fabs(x.lo), std::fabs(x.hi));
  return {least, largest};
}

// The relative error of a sum of `terms` positive values q, by the model of spec.cpp: their mean m
// drifts by 5/3 u sqrt(K) m K, their spread adds 3 u K rms(q). For values uniform in any range
// rms(q) is at most 1.35 m when q is a square, at most 1.16 m when it isn't. One rounding is q's.
double positive_sum_error(double terms) {
  return kUnitRoundoff * (5.0 / 3 * std::sqrt(terms) + 3 * 1.35 + 1);
}

Tolerance exact(double /*terms*/, Uniform /*values*/) { return {}; }

Tolerance l1_tolerance(double terms, Uniform values) {
  return plain_sum_tolerance(terms, magnitude_of(values));
}

// The root halves the relative error and rounds once more (twice: it may be inexact).
Tolerance l2_tolerance(double terms, Uniform /*values*/) {
  return {.absolute = 0, .relative = positive_sum_error(terms) / 2 + 2 * kUlp};
}

// Deviations from a mean that is off by e give a variance that is off by e^2 exactly; each is
// rounded (u) and its square doubles that and rounds again, the sum has its error, the quotient
// rounds. With a mean of size |m| a difference also loses what the mean itself was rounded by,
// u |m|: again squared, and covered by e.
Tolerance variance_tolerance(double terms, Uniform values) {
  const Tolerance mean = average_tolerance(terms, values.mean(), values.root_mean_square());
  const double largest = std::max(std::fabs(values.lo), std::fabs(values.hi));
  const double off = mean.absolute + (mean.relative + kUlp) * largest;
  return {.absolute = off * off, .relative = positive_sum_error(terms) + 4 * kUlp};
}

// The index of a float tensor counts exactly up to 2^24 only.
void require_exact_index(const std::string& op, const Case& c) {
  require_axis(op, c);
  require(axis_shape_of(c).length <= (int64_t{1} << 24), op,
          "the axis is too long for an index in float32, expected at most 2^24 elements");
}

Op index_op(const Reduction& reduction) {
  Op op = reduction_op(reduction);
  op.validate = [name = reduction.name](const Case& c) { require_exact_index(name, c); };
  return op;
}

const OpRow sum_row{reduction_op({.name = "sum",
                                  .summary = "Sum along an axis.",
                                  .fold = sum,
                                  .tolerance = plain_sum_tolerance})};
const OpRow max_row{reduction_op(
    {.name = "max", .summary = "Largest element along an axis.", .fold = max, .tolerance = exact})};
const OpRow min_row{reduction_op({.name = "min",
                                  .summary = "Smallest element along an axis.",
                                  .fold = min,
                                  .tolerance = exact})};
const OpRow norm_l1_row{reduction_op({.name = "norm_l1",
                                      .summary = "Sum of magnitudes along an axis.",
                                      .fold = norm_l1,
                                      .tolerance = l1_tolerance})};
const OpRow norm_l2_row{reduction_op({.name = "norm_l2",
                                      .summary = "Root of the sum of squares along an axis.",
                                      .fold = norm_l2,
                                      .flops = 2,
                                      .tolerance = l2_tolerance})};
const OpRow norm_linf_row{reduction_op({.name = "norm_linf",
                                        .summary = "Largest magnitude along an axis.",
                                        .fold = norm_linf,
                                        .tolerance = exact})};
const OpRow variance_row{reduction_op({.name = "variance",
                                       .summary = "Population variance along an axis.",
                                       .fold = variance,
                                       .flops = 4,
                                       .tolerance = variance_tolerance})};
const OpRow argmax_row{index_op({.name = "argmax",
                                 .summary = "Index of the first largest element along an axis.",
                                 .fold = argmax,
                                 .tolerance = exact})};
const OpRow argmin_row{index_op({.name = "argmin",
                                 .summary = "Index of the first smallest element along an axis.",
                                 .fold = argmin,
                                 .tolerance = exact})};

}  // namespace
}  // namespace nsop::reference
