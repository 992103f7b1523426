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
  l.affine_run = norm_pixels(c);
  l.groups = in[0] * groups;
  l.count = l.run = l.group_step = l.affine_step * l.affine_run;
  l.x_shape = in;
  l.affine_shape = {in[1]};
  l.statistic_shape = {in[0], groups};
  return l;
}

void validate(const Case& c) {
  validate_norm_channels(c);
  const int64_t channels = c.shape("in")[1];
  require(channels % c.integer("groups") == 0, "groupnorm",
          fmt::format("{} channels (in={}) don't divide into groups={}, expected a multiple",
                      channels, c.str("in"), c.integer("groups")));
}

const OpRow row{norm_op({
    .spec = {.name = "groupnorm",
             .summary = "Group normalisation, NCL, NCHW or NCDHW, and its gradients.",
             .params = {pass_param({"forward", "backward"}),
                        norm_channels_param(),
                        {.name = "groups", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                        range_param()}},
    .validate = validate,
    .layout = layout_of,
})};

}  // namespace
}  // namespace nsop::reference
