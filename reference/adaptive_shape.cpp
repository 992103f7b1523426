#include "reference/adaptive_shape.h"

namespace nsop::reference {

OpSpec adaptive_pool2d_spec(std::string name, std::string summary) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .params = {pass_param({"forward", "backward"}),
                 {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                 {.name = "out", .kind = ParamKind::kShape, .choices = {}, .rank = 2, .absent = {}},
                 range_param()}};
}

void validate_adaptive_pool2d(const Case& c) {
  const AdaptiveWindows s(c);
  require_size(c.op(), "x", s.x_shape());
  require_size(c.op(), "y", s.y_shape());
}

}  // namespace nsop::reference
