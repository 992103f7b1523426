#include "kernels/runtime/axis.h"

namespace nsop::kernels {

AxisShape axis_shape_of(const Case& op_case) {
  AxisShape result;
  const std::string& axis = op_case.str("axis");
  const std::vector<int64_t> shape = op_case.shape("n");
  const size_t at = axis == "all" ? 0 : std::stoul(axis);
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto extent = static_cast<size_t>(shape[d]);
    (axis == "all" || d == at ? result.length : d < at ? result.outer : result.inner) *= extent;
  }
  return result;
}

}  // namespace nsop::kernels
