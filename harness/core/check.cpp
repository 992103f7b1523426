#include "harness/core/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nsop {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();

// Elements below this part of the largest one say nothing by their relative error.
constexpr double kRelativeFloor = 1e-3;

// `2,0,1`: where the element with this flat index is.
std::string position(size_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  auto rest = static_cast<int64_t>(flat);
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
  }
  return fmt::format("{}", fmt::join(index, ","));
}

double error_of(double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got) ? 0 : kUnbounded;
  if (got == expected) return 0;
  const double error = std::fabs(got - expected);
  return std::isfinite(error) ? error : kUnbounded;
}

double over_tolerance(double error, double allowed) {
  if (error == 0) return 0;
  if (!(allowed > 0)) return kUnbounded;
  return std::min(error / allowed, kUnbounded);
}

double largest_finite(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  }
  return largest;
}

double allowed_error(double expected, Tolerance tolerance) {
  if (!std::isfinite(expected)) return 0;
  return tolerance.absolute + tolerance.relative * std::fabs(expected);
}

}  // namespace

CheckResult check_output(std::string_view name, std::span<const float> got,
                         const TensorF64& expected, Tolerance tolerance) {
  return check_output(name, got, expected.data, expected.shape, tolerance);
}

CheckResult check_output(std::string_view name, std::span<const float> got,
                         std::span<const double> want, const Shape& shape, Tolerance tolerance) {
  CheckResult result;
  if (got.size() != want.size()) {
    result.max_abs_error = result.max_rel_error = result.worst_over_tolerance = kUnbounded;
    result.message =
        fmt::format("output {}: {} elements, expected {}", name, got.size(), want.size());
    return result;
  }
  // An output as large as the memory is often exact, and then this is all there is to do.
  if (std::equal(want.begin(), want.end(), got.begin())) return passed();
  const double floor = kRelativeFloor * largest_finite(want);
  size_t wrong = 0;
  size_t worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] == got[i]) continue;
    const double error = error_of(got[i], want[i]);
    const double over = over_tolerance(error, allowed_error(want[i], tolerance));
    wrong += over > 1;
    if (over > result.worst_over_tolerance) {
      result.worst_over_tolerance = over;
      worst = i;
    }
    result.max_abs_error = std::max(result.max_abs_error, error);
    if (const double size = std::fabs(want[i]); size >= floor && size > 0 && std::isfinite(size)) {
      result.max_rel_error = std::max(result.max_rel_error, std::min(error / size, kUnbounded));
    }
  }
  result.ok = wrong == 0;
  if (!result.ok) {
    result.message = fmt::format(
        "output {}[{}]: got {}, expected {}, allowed error {:.3g} ({} of {} elements are wrong)",
        name, position(worst, shape), got[worst], want[worst],
        allowed_error(want[worst], tolerance), wrong, want.size());
  }
  return result;
}

CheckResult passed() {
  CheckResult result;
  result.ok = true;
  return result;
}

CheckResult merge(const CheckResult& a, const CheckResult& b) {
  const bool a_is_worse = a.worst_over_tolerance >= b.worst_over_tolerance;
  CheckResult result;
  result.ok = a.ok && b.ok;
  result.max_abs_error = std::max(a.max_abs_error, b.max_abs_error);
  result.max_rel_error = std::max(a.max_rel_error, b.max_rel_error);
  result.worst_over_tolerance = std::max(a.worst_over_tolerance, b.worst_over_tolerance);
  result.message = b.message.empty() || (a_is_worse && !a.message.empty()) ? a.message : b.message;
  return result;
}

}  // namespace nsop
