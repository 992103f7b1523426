// For tests: every element-wise function of one argument with its exact counterpart in double
// precision, and the accuracy that is promised for it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nsop::kernels {

// On arguments from lo to hi the error stays within `ulps` units in the last place of the exact
// result, on every target.
struct PromisedAccuracy {
  double lo;
  double hi;
  double ulps;
};

struct ExactFunction {
  std::string name;  // as in docs/accuracy.md
  std::function<void(std::span<const float> x, std::span<float> y)> kernel;  // on one thread
  double (*exact)(double);
  std::vector<PromisedAccuracy> promises;
};

const std::vector<ExactFunction>& exact_functions();

// |got - exact| in units of the last place of a float near exact; infinite where only one of them
// is NaN or infinite. Exact results beyond the largest float count as infinite.
double ulp_error(float got, double exact);

}  // namespace nsop::kernels
