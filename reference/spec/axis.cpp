#include "reference/spec/axis.h"

#include <fmt/format.h>

#include "reference/spec/spec.h"

namespace nsop::reference {

ParamSpec axis_param(Axes axes) {
  std::vector<std::string> choices = {"0", "1", "2", "3", "4", "5", "6", "7"};
  if (axes == Axes::kOneOrAll) choices.insert(choices.begin(), "all");
  return {.name = "axis", .kind = ParamKind::kChoice, .choices = choices, .absent = {}};
}

ParamSpec shape_param() {
  return {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}};
}

AxisShape axis_shape_of(const Case& op_case) {
  const Shape shape = op_case.shape("n");
  const std::string& axis = op_case.str("axis");
  if (axis == "all") return {1, element_count(shape), 1};
  const size_t at = std::stoul(axis);
  AxisShape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    (d < at ? result.outer : d == at ? result.length : result.inner) *= shape[d];
  }
  return result;
}

Shape without_axis(const Case& op_case) {
  Shape shape = op_case.shape("n");
  const std::string& axis = op_case.str("axis");
  if (axis == "all" || shape.size() == 1) return {1};
  shape.erase(shape.begin() + std::stol(axis));
  return shape;
}

void require_axis(std::string_view op, const Case& op_case) {
  const Shape shape = op_case.shape("n");
  require_size(op, "n", shape);
  const std::string& axis = op_case.str("axis");
  require(axis == "all" || std::stoul(axis) < shape.size(), op,
          fmt::format("n={} has no axis {}, expected axis < {}", shape_text(shape), axis,
                      shape.size()));
}

}  // namespace nsop::reference
