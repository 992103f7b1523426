#include "reference/elementwise/broadcast.h"

#include <fmt/format.h>

namespace nsop::reference {

ParamSpec operand_param(const std::string& name) {
  return {.name = name, .kind = ParamKind::kShape, .choices = {}, .absent = "same"};
}

Shape operand_shape(const Case& c, const std::string& name) {
  return c.str(name) == "same" ? c.shape("n") : Shape(c.shape(name));
}

void validate_broadcast(const Case& c, const std::vector<std::string>& operands) {
  const Shape n = c.shape("n");
  require(n.size() <= kMostDimensions, c.op(),
          fmt::format("n={} has {} dimensions, expected at most {}", shape_text(n), n.size(),
                      kMostDimensions));
  require_size(c.op(), "n", n);
  for (const std::string& name : operands) {
    const Shape operand = operand_shape(c, name);
    bool fits = operand.size() <= n.size();
    for (size_t i = 0; fits && i < operand.size(); ++i) {
      const int64_t extent = operand[operand.size() - 1 - i];
      fits = extent == 1 || extent == n[n.size() - 1 - i];
    }
    require(fits, c.op(),
            fmt::format("{}={} doesn't broadcast to n={}, expected each extent to be 1 or as in n, "
                        "aligned at the right",
                        name, shape_text(operand), shape_text(n)));
  }
}

size_t index_in_operand(size_t flat, const Shape& n, const Shape& operand) {
  size_t index = 0;
  size_t stride = 1;
  for (size_t i = 0; i < operand.size(); ++i) {
    const auto extent_n = static_cast<size_t>(n[n.size() - 1 - i]);
    const auto extent = static_cast<size_t>(operand[operand.size() - 1 - i]);
    if (extent != 1) index += flat % extent_n * stride;
    stride *= extent;
    flat /= extent_n;
  }
  return index;
}

}  // namespace nsop::reference
