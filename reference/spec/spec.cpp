#include "reference/spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"

namespace nsop::reference {

ParamSpec pass_param(std::vector<std::string> choices) {
  return {.name = "pass", .kind = ParamKind::kChoice, .choices = std::move(choices), .absent = {}};
}

ParamSpec range_param() {
  return {.name = "range", .kind = ParamKind::kRange, .choices = {}, .absent = "-1:1"};
}

void require(bool condition, std::string_view op, std::string_view message) {
  if (!condition) throw usage_error(fmt::format("{}: {}", op, message));
}

void require_size(std::string_view op, std::string_view tensor, const Shape& shape) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    // Divides instead of multiplying: the product of what a user typed may overflow.
    require(extent <= kLargest / count, op,
            fmt::format("tensor {} [{}] is too large, expected at most 2^31 elements", tensor,
                        shape_text(shape)));
    count *= extent;
  }
}

double Uniform::root_mean_square() const { return std::sqrt((lo * lo + lo * hi + hi * hi) / 3); }

Uniform uniform_of(const Case& op_case) {
  const auto [lo, hi] = op_case.range("range");
  return {lo, hi};
}

// Derivation. Adding the j-th product to a running sum s_j rounds by at most u*|s_j|; taken as
// random, uniform and independent of each other, these errors have a variance of u^2 s_j^2 / 3.
//
// Products with mean zero and root mean square q = rms(a)*rms(b) make s_j^2 grow like j*q^2, so
// the variance of the whole error is u^2 q^2/3 * K^2/2 and its root u*q*K/sqrt(6). (For values
// uniform in +-ra and +-rb, q is ra*rb/3.) The largest of some millions of such errors is about
// five times that, 2.0 u*q*K. The factor 8 leaves a margin of four for kernels that transform their
// inputs before summing, and stays far below K*u*sum|a*b|, the worst case that holds with
// certainty.
//
// Products with mean m make s_j grow like j*m: variance u^2 m^2/3 * K^3/3, root u*|m|*K^1.5/3, five
// times that for the largest. It vanishes for symmetric ranges.
//
// The relative term covers the rounding of the products and of the result.
//
// Random-walk model: Higham & Mary 2019, A new approach to probabilistic rounding error analysis,
// doi:10.1137/18M1226312.
Tolerance accumulation_tolerance(double terms, Uniform a, Uniform b) {
  const double walk = 8 * terms * a.root_mean_square() * b.root_mean_square();
  const double drift = 5.0 / 3 * std::pow(terms, 1.5) * std::fabs(a.mean() * b.mean());
  return {.absolute = kUnitRoundoff * (walk + drift), .relative = 4 * kUlp};
}

// As above with q = rms(a): five times u*q*K/sqrt(6) is 2.04 u*q*K. Half as much again is margin
// enough, because nobody transforms a plain sum.
Tolerance plain_sum_tolerance(double terms, Uniform a) {
  const double walk = 3 * terms * a.root_mean_square();
  const double drift = 5.0 / 3 * std::pow(terms, 1.5) * std::fabs(a.mean());
  return {.absolute = kUnitRoundoff * (walk + drift), .relative = 4 * kUlp};
}

// Each of the additions rounds by up to u*|offset|, variance u^2 offset^2/3: five times the root of
// K of them. It matters only where the products are much smaller than the offset.
Tolerance offset_tolerance(double terms, Uniform offset) {
  const double largest = std::max(std::fabs(offset.lo), std::fabs(offset.hi));
  return {.absolute = kUnitRoundoff * 5 * largest * std::sqrt(terms / 3), .relative = 4 * kUlp};
}

// Both parts of accumulation_tolerance's derivation, divided by the number of terms.
Tolerance average_tolerance(double terms, double mean, double root_mean_square) {
  const double drift = 5.0 / 3 * std::sqrt(terms) * std::fabs(mean);
  return {.absolute = kUnitRoundoff * (3 * root_mean_square + drift), .relative = 4 * kUlp};
}

Tolerance wider(Tolerance a, Tolerance b) {
  return {.absolute = std::max(a.absolute, b.absolute),
          .relative = std::max(a.relative, b.relative)};
}

double compulsory_bytes(const std::vector<InputSpec>& inputs,
                        const std::vector<OutputSpec>& outputs) {
  double elements = 0;
  for (const InputSpec& input : inputs) elements += static_cast<double>(element_count(input.shape));
  for (const OutputSpec& output : outputs) {
    elements += static_cast<double>(element_count(output.shape));
  }
  return kFloatBytes * elements;
}

}  // namespace nsop::reference
