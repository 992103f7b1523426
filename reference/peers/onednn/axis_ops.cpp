// softmax, log_softmax and reductions by oneDNN: plain layout, no reorders. A tensor is
// [outer, length, inner], `length` being the axis.
#include "reference/peers/onednn/onednn.h"
#include "reference/spec/axis.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;

Desc lines_desc(const Case& c) {
  const AxisShape s = axis_shape_of(c);
  return s.inner == 1 ? plain_desc({s.outer, s.length}) : plain_desc({s.outer, s.length, s.inner});
}

// Softmax and its logarithm differ in their types only.
template <class Forward>
std::unique_ptr<Program> forward(const StepRequest& request) {
  auto program = std::make_unique<Program>(Layout::kPlain);
  const Desc desc = lines_desc(request.op_case);
  const typename Forward::primitive_desc pd({dnnl::prop_kind::forward_inference, desc, 1},
                                            program_attr(), onednn_engine());
  program->add(Forward(pd), pd,
               {{DNNL_ARG_SRC, program->view(request.inputs[0].data(), desc)},
                {DNNL_ARG_DST, program->view(request.outputs[0].data(), desc)}});
  return program;
}

template <class Forward, class Backward>
std::unique_ptr<Program> backward(const StepRequest& request) {
  auto program = std::make_unique<Program>(Layout::kPlain);
  const Desc desc = lines_desc(request.op_case);
  const typename Forward::primitive_desc hint({dnnl::prop_kind::forward_training, desc, 1},
                                              program_attr(), onednn_engine());
  const typename Backward::primitive_desc pd({desc, desc, 1}, program_attr(), onednn_engine(),
                                             hint);
  program->add(Backward(pd), pd,
               {{DNNL_ARG_DST, program->view(request.inputs[0].data(), desc)},
                {DNNL_ARG_DIFF_DST, program->view(request.inputs[1].data(), desc)},
                {DNNL_ARG_DIFF_SRC, program->view(request.outputs[0].data(), desc)}});
  return program;
}

std::string softmax_unsupported(const Case& c, int /*threads*/) {
  if (c.str("pass") != "forward") return {};
  const auto [lo, hi] = c.range("range");
  if (c.op() == "softmax" && hi - lo > 87) {
    return "oneDNN returns 0 for results near the smallest normal number (range wider than 87)";
  }
  if (c.op() == "log_softmax" && axis_shape_of(c).length < 128) {
    return "oneDNN's log is wrong by up to 3e-6, too much for the sum of a short axis";
  }
  return {};
}

template <class Forward, class Backward>
Variant softmax_variant(const std::string& op) {
  return onednn_variant(
      op, "onednn", op + " primitive",
      [](const StepRequest& request) {
        return request.op_case.str("pass") == "forward" ? forward<Forward>(request)
                                                        : backward<Forward, Backward>(request);
      },
      softmax_unsupported);
}

std::unique_ptr<Program> reduce(algorithm how, float p, const StepRequest& request) {
  const AxisShape s = axis_shape_of(request.op_case);
  const Desc from = lines_desc(request.op_case);
  const Desc to = s.inner == 1 ? plain_desc({s.outer, 1}) : plain_desc({s.outer, 1, s.inner});
  auto program = std::make_unique<Program>(Layout::kPlain);
  const dnnl::reduction::primitive_desc pd({how, from, to, p, 0.0f}, program_attr(),
                                           onednn_engine());
  program->add(dnnl::reduction(pd), pd,
               {{DNNL_ARG_SRC, program->view(request.inputs[0].data(), from)},
                {DNNL_ARG_DST, program->view(request.outputs[0].data(), to)}});
  return program;
}

std::string reduce_unsupported(const Case& c, int /*threads*/) {
  if (c.has("pass") && c.str("pass") != "forward") return "oneDNN has no gradient of reductions";
  if (axis_shape_of(c).length == 1) return "oneDNN refuses to reduce an axis of one element";
  return {};
}

Variant reduce_variant(const char* op, algorithm how, float p = 0) {
  return onednn_variant(
      op, "onednn", "reduction primitive",
      [how, p](const StepRequest& request) { return reduce(how, p, request); }, reduce_unsupported);
}

const VariantRow rows[] = {
    VariantRow(softmax_variant<dnnl::softmax_forward, dnnl::softmax_backward>("softmax")),
    VariantRow(softmax_variant<dnnl::logsoftmax_forward, dnnl::logsoftmax_backward>("log_softmax")),
    VariantRow(reduce_variant("sum", algorithm::reduction_sum)),
    VariantRow(reduce_variant("mean", algorithm::reduction_mean)),
    VariantRow(reduce_variant("max", algorithm::reduction_max)),
    VariantRow(reduce_variant("min", algorithm::reduction_min)),
    VariantRow(reduce_variant("norm_l1", algorithm::reduction_norm_lp_sum, 1)),
    VariantRow(reduce_variant("norm_l2", algorithm::reduction_norm_lp_sum, 2)),
};

}  // namespace
}  // namespace nsop::reference::peers
