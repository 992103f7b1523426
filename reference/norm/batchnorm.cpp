// batchnorm: statistics over batch and pixels, per channel. `mode=train` computes them, `mode=eval`
// is given them; its backward pass takes them as constants.
#include "reference/norm/norm.h"

namespace nsop::reference {
namespace {

NormLayout layout_of(const Case& c) {
  const Shape in = c.shape("in");
  NormLayout l;
  l.groups = l.affine_groups = in[1];
  l.run = l.group_step = norm_pixels(c);
  l.count = l.affine_run = in[0] * l.run;
  l.run_step = in[1] * l.run;
  l.affine_step = 1;
  l.x_shape = in;
  l.affine_shape = l.statistic_shape = {in[1]};
  return l;
}

const OpRow row{norm_op({
    .spec = {.name = "batchnorm",
             .summary = "Batch normalisation, NCL, NCHW or NCDHW, and its gradients.",
             .params = {pass_param({"forward", "backward"}),
                        norm_channels_param(),
                        {.name = "mode",
                         .kind = ParamKind::kChoice,
                         .choices = {"train", "eval"},
                         .absent = {}},
                        range_param()}},
    .validate = validate_norm_channels,
    .layout = layout_of,
    .given_statistics = [](const Case& c) { return c.str("mode") == "eval"; },
})};

}  // namespace
}  // namespace nsop::reference
