// sum, norms, max, min: one row each.
//
// NaN: a line with a NaN sums to NaN, its largest and smallest element are NaN.
#include <algorithm>
#include <cmath>

#include "reference/reduction.h"

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

}  // namespace
}  // namespace nsop::reference
