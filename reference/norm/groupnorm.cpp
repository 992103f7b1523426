// groupnorm: statistics over pixels and a group of neighbouring channels, per sample.
#include <fmt/format.h>

#include "reference/norm/norm.h"

namespace nsop::reference {
namespace {

NormLayout layout_of(const Case& c) {
  const Shape in = c.shape("in");
  const int64_t groups = c.integer("groups");
  NormLayout l;
  l.affine_groups = groups;
  l.affine_step = in[1] / groups;  // channels of a group
  l.affine_run = in[2] * in[3];
  l.groups = in[0] * groups;
  l.count = l.run = l.group_step = l.affine_step * l.affine_run;
  l.x_shape = in;
  l.affine_shape = {in[1]};
  l.statistic_shape = {in[0], groups};
  return l;
}

void validate(const Case& c) {
  require_size("groupnorm", "x", c.shape("in"));
  const int64_t channels = c.shape("in")[1];
  require(channels % c.integer("groups") == 0, "groupnorm",
          fmt::format("{} channels (in={}) don't divide into groups={}, expected a multiple",
                      channels, c.str("in"), c.integer("groups")));
}

const OpRow row{norm_op({
    .spec = {.name = "groupnorm",
             .summary = "Group normalisation, NCHW, and its gradients.",
             .params =
                 {pass_param({"forward", "backward"}),
                  {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                  {.name = "groups", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                  range_param()}},
    .validate = validate,
    .layout = layout_of,
})};

}  // namespace
}  // namespace nsop::reference
