// Element-wise ops by oneDNN's eltwise primitive: plain layout, no reorders, destination passing.
#include <optional>

#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;

// y = f(x), and how dx is computed.
struct Eltwise {
  const char* op;
  algorithm forward;
  std::optional<algorithm> backward;  // from x, or from y where the op is given that
  float (*alpha)(const Case&) = [](const Case&) { return 0.0f; };
  float (*beta)(const Case&) = [](const Case&) { return 0.0f; };
  std::string (*refused)(const Case&) = [](const Case&) { return std::string(); };
};

// Its exponential goes to zero a little before the smallest normal number.
std::string refuse_underflow(const Case& c) {
  if (c.str("pass") != "forward" || c.range("range").first > -87) return {};
  return "oneDNN returns 0 for results near the smallest normal number (x < -87)";
}

std::string refuse_near_one(const Case& c) {
  const auto [lo, hi] = c.range("range");
  if (lo > 128 || (lo > 0 && hi < 1.0 / 128)) return {};
  return "oneDNN's log is wrong by up to 3e-6, which is thousands of ULP where the result is small";
}

std::string refuse_softplus(const Case& c) {
  const double lo = c.range("range").first;
  if (c.str("pass") == "forward") {
    if (lo > -1) return {};
    return "oneDNN's soft_relu is wrong by up to 8e-6 for negative x";
  }
  return lo > -87 ? "" : "oneDNN returns 0 for results near the smallest normal number (x < -87)";
}

std::string refuse_gelu(const Case& c) {
  if (c.str("pass") == "forward" || c.str("form") == "erf" || c.range("range").first > -4)
    return {};
  return "the gradient of oneDNN's gelu_tanh loses digits where it cancels (x < -4)";
}

std::unique_ptr<Program> build(const Eltwise& e, const StepRequest& request) {
  auto program = std::make_unique<Program>(Layout::kPlain);
  const Desc desc = plain_desc({static_cast<int64_t>(request.outputs[0].size())});
  const float alpha = e.alpha(request.op_case), beta = e.beta(request.op_case);
  const auto forward = [&](algorithm how) {
    return dnnl::eltwise_forward::primitive_desc(
        {dnnl::prop_kind::forward_training, how, desc, alpha, beta}, program_attr(),
        onednn_engine());
  };
  const dnnl::memory saved = program->view(request.inputs[0].data(), desc);
  const dnnl::memory result = program->view(request.outputs[0].data(), desc);
  if (!request.op_case.has("pass") || request.op_case.str("pass") == "forward") {
    const auto pd = forward(e.forward);
    program->add(dnnl::eltwise_forward(pd), pd, {{DNNL_ARG_SRC, saved}, {DNNL_ARG_DST, result}});
    return program;
  }
  const dnnl::eltwise_backward::primitive_desc pd({*e.backward, desc, desc, alpha, beta},
                                                  program_attr(), onednn_engine(),
                                                  forward(*e.backward));
  // Whichever the algorithm reads: the other is ignored.
  program->add(dnnl::eltwise_backward(pd), pd,
               {{DNNL_ARG_SRC, saved},
                {DNNL_ARG_DST, saved},
                {DNNL_ARG_DIFF_DST, program->view(request.inputs[1].data(), desc)},
                {DNNL_ARG_DIFF_SRC, result}});
  return program;
}

Variant variant(const Eltwise& e) {
  return onednn_variant(
      e.op, "onednn", "eltwise primitive",
      [e](const StepRequest& request) { return build(e, request); },
      [e](const Case& c, int) { return e.refused(c); });
}

// gelu is two functions.
Variant gelu_variant() {
  return onednn_variant(
      "gelu", "onednn", "eltwise primitive",
      [](const StepRequest& request) {
        const algorithm how = request.op_case.str("form") == "tanh" ? algorithm::eltwise_gelu_tanh
                                                                    : algorithm::eltwise_gelu_erf;
        return build({"gelu", how, how}, request);
      },
      [](const Case& c, int) { return refuse_gelu(c); });
}

float one(const Case&) { return 1; }
float alpha_of(const Case& c) { return static_cast<float>(c.number("alpha")); }

const VariantRow rows[] = {
    VariantRow(variant({"relu", algorithm::eltwise_relu, algorithm::eltwise_relu})),
    VariantRow(variant({"tanh", algorithm::eltwise_tanh, algorithm::eltwise_tanh_use_dst_for_bwd})),
    VariantRow(variant({.op = "sigmoid",
                        .forward = algorithm::eltwise_logistic,
                        .backward = algorithm::eltwise_logistic_use_dst_for_bwd,
                        .refused = refuse_underflow})),
    VariantRow(variant({"abs", algorithm::eltwise_abs, {}})),
    VariantRow(variant({"square", algorithm::eltwise_square, {}})),
    VariantRow(variant({"sqrt", algorithm::eltwise_sqrt, {}})),
    VariantRow(variant({.op = "exp",
                        .forward = algorithm::eltwise_exp,
                        .backward = {},
                        .refused = refuse_underflow})),
    VariantRow(variant({.op = "log",
                        .forward = algorithm::eltwise_log,
                        .backward = {},
                        .refused = refuse_near_one})),
    VariantRow(variant({.op = "neg",
                        .forward = algorithm::eltwise_linear,
                        .backward = {},
                        .alpha = [](const Case&) { return -1.0f; }})),
    VariantRow(variant({.op = "recip",
                        .forward = algorithm::eltwise_pow,
                        .backward = {},
                        .alpha = one,
                        .beta = [](const Case&) { return -1.0f; }})),
    VariantRow(variant({.op = "clip",
                        .forward = algorithm::eltwise_clip,
                        .backward = {},
                        .alpha = [](const Case& c) { return static_cast<float>(c.number("lo")); },
                        .beta = [](const Case& c) { return static_cast<float>(c.number("hi")); }})),
    VariantRow(variant({.op = "relu6",
                        .forward = algorithm::eltwise_bounded_relu,
                        .backward = algorithm::eltwise_bounded_relu,
                        .alpha = [](const Case&) { return 6.0f; }})),
    VariantRow(variant({.op = "leaky_relu",
                        .forward = algorithm::eltwise_relu,
                        .backward = algorithm::eltwise_relu,
                        .alpha = alpha_of})),
    VariantRow(variant({.op = "elu",
                        .forward = algorithm::eltwise_elu,
                        .backward = algorithm::eltwise_elu,
                        .alpha = alpha_of})),
    VariantRow(variant({.op = "silu",
                        .forward = algorithm::eltwise_swish,
                        .backward = algorithm::eltwise_swish,
                        .alpha = one,
                        .refused = refuse_underflow})),
    VariantRow(variant({.op = "softplus",
                        .forward = algorithm::eltwise_soft_relu,
                        .backward = algorithm::eltwise_soft_relu,
                        .refused = refuse_softplus})),
    VariantRow(variant(
        {.op = "scale", .forward = algorithm::eltwise_linear, .backward = {}, .alpha = alpha_of})),
    VariantRow(variant({.op = "pow",
                        .forward = algorithm::eltwise_pow,
                        .backward = {},
                        .alpha = one,
                        .beta = [](const Case& c) { return static_cast<float>(c.number("e")); }})),
    VariantRow(gelu_variant()),
};

}  // namespace
}  // namespace nsop::reference::peers
