// layernorm: statistics over the last 1, 2 or 3 dimensions; rmsnorm: over the last one, without a
// mean and a shift. Every element of a row has a gamma of its own.
#include <fmt/format.h>

#include "reference/norm/norm.h"

namespace nsop::reference {
namespace {

NormLayout layout_of(const Shape& shape, int64_t last) {
  const auto split = shape.end() - last;
  NormLayout l;
  l.x_shape = shape;
  l.affine_shape = Shape(split, shape.end());
  l.statistic_shape = Shape(shape.begin(), split);
  if (l.statistic_shape.empty()) l.statistic_shape = {1};
  l.groups = element_count(l.statistic_shape);
  l.count = l.run = l.group_step = element_count(l.affine_shape);
  return l;
}

void validate_layernorm(const Case& c) {
  const Shape shape = c.shape("n");
  require_size("layernorm", "x", shape);
  require(c.integer("last") <= static_cast<int64_t>(shape.size()), "layernorm",
          fmt::format("last={} of n={}, expected at most its {} dimensions", c.str("last"),
                      c.str("n"), shape.size()));
}

const ParamSpec kShapeParam = {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}};

const OpRow layernorm_row{norm_op({
    .spec = {.name = "layernorm",
             .summary = "Layer normalisation over the last dimensions, and its gradients.",
             .params = {pass_param({"forward", "backward"}),
                        kShapeParam,
                        {.name = "last",
                         .kind = ParamKind::kChoice,
                         .choices = {"1", "2", "3"},
                         .absent = {}},
                        range_param()}},
    .validate = validate_layernorm,
    .layout = [](const Case& c) { return layout_of(c.shape("n"), c.integer("last")); },
})};

const OpRow rmsnorm_row{norm_op({
    .spec = {.name = "rmsnorm",
             .summary = "Root mean square normalisation of rows, and its gradients.",
             .params = {pass_param({"forward", "backward"}), kShapeParam, range_param()}},
    .validate = [](const Case& c) { require_size("rmsnorm", "x", c.shape("n")); },
    .layout = [](const Case& c) { return layout_of(c.shape("n"), 1); },
    .centred = false,
})};

}  // namespace
}  // namespace nsop::reference
