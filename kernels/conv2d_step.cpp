#include <algorithm>

#include "kernels/conv2d.h"
#include "kernels/step.h"
#include "kernels/winograd.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

Conv2dShape shape_of(const Case& c) {
  const auto size = [&c](const char* key) { return static_cast<size_t>(c.integer(key)); };
  const std::vector<int64_t> in = c.shape("in");
  Conv2dShape s;
  s.batch = static_cast<size_t>(in[0]);
  s.in_channels = static_cast<size_t>(in[1]);
  s.height = static_cast<size_t>(in[2]);
  s.width = static_cast<size_t>(in[3]);
  s.out_channels = size("out");
  s.kernel = size("k");
  s.stride = size("s");
  s.pad = size("p");
  s.dilation = size("d");
  s.groups = size("groups");
  s.mean = c.str("reduce") == "mean";
  return s;
}

enum class Way { kRule, kDirect, kWinograd };

// How each pass is done.
struct Plan {
  Conv2dShape s;
  bool forward;  // by Winograd? Likewise the others.
  bool data;
  bool weights;

  Plan(const Conv2dShape& shape, Way way)
      : s(shape),
        forward(by_winograd(way, ConvPass::kForward)),
        data(by_winograd(way, ConvPass::kData)),
        weights(by_winograd(way, ConvPass::kWeights)) {}

  size_t workspace_floats(bool winograd, ConvPass pass, int threads) const {
    return winograd ? winograd_workspace_floats(s, pass, threads)
                    : conv2d_workspace_floats(s, threads);
  }

  std::string describe(bool winograd, ConvPass pass) const {
    if (winograd) return "winograd F(4x4,3x3)";
    if (pass == ConvPass::kForward) return conv2d_forward_algorithm(s);
    return pass == ConvPass::kData ? conv2d_data_algorithm(s) : conv2d_weights_algorithm(s);
  }

  void run_data(In w, In dy, Out dx, StepBuffers& b) const {
    (data ? winograd_backward_data : conv2d_backward_data)(s, w, dy, dx, b.workspace.data(),
                                                           *b.pool);
  }

  void run_weights(In x, In dy, Out dw, Out dbias, StepBuffers& b) const {
    if (!weights) {
      return conv2d_backward_weights(s, x, dy, dw, dbias, b.workspace.data(), *b.pool);
    }
    winograd_backward_weights(s, x, dy, dw, b.workspace.data(), *b.pool);
    if (!dbias.empty()) conv2d_backward_bias(s, dy, dbias, *b.pool);
  }

 private:
  bool by_winograd(Way way, ConvPass pass) const {
    return way == Way::kWinograd || (way == Way::kRule && winograd_pays(s, pass));
  }
};

Out output_or_none(StepBuffers& b, size_t i) { return b.out.size() > i ? b.out[i] : Out(); }

std::unique_ptr<Step> prepare(const StepRequest& request, Way way) {
  const Plan plan(shape_of(request.op_case), way);
  const std::string& pass = request.op_case.str("pass");
  const int threads = request.threads;
  if (pass == "forward") {
    return make_step(request, plan.workspace_floats(plan.forward, ConvPass::kForward, threads),
                     plan.describe(plan.forward, ConvPass::kForward), [plan](StepBuffers& b) {
                       const In bias = b.in.size() > 2 ? b.in[2] : In();
                       (plan.forward ? winograd_forward : conv2d_forward)(
                           plan.s, b.in[0], b.in[1], bias, b.out[0], b.workspace.data(), *b.pool);
                     });
  }
  const size_t data_floats = plan.workspace_floats(plan.data, ConvPass::kData, threads);
  const size_t weights_floats = plan.workspace_floats(plan.weights, ConvPass::kWeights, threads);
  const std::string data = plan.describe(plan.data, ConvPass::kData);
  const std::string weights = plan.describe(plan.weights, ConvPass::kWeights);
  if (pass == "backward_data") {
    return make_step(request, data_floats, data,
                     [plan](StepBuffers& b) { plan.run_data(b.in[0], b.in[1], b.out[0], b); });
  }
  if (pass == "backward_weights") {
    return make_step(request, weights_floats, weights, [plan](StepBuffers& b) {
      plan.run_weights(b.in[0], b.in[1], b.out[0], output_or_none(b, 1), b);
    });
  }
  return make_step(request, std::max(data_floats, weights_floats),
                   "dx: " + data + "; dw: " + weights, [plan](StepBuffers& b) {
                     plan.run_data(b.in[1], b.in[2], b.out[0], b);
                     plan.run_weights(b.in[0], b.in[2], b.out[1], output_or_none(b, 2), b);
                   });
}

std::string winograd_cannot(const Case& c, int) {
  const Conv2dShape s = shape_of(c);
  const std::string& pass = c.str("pass");
  std::string reason;
  if (pass == "forward") return winograd_unsupported(s, ConvPass::kForward);
  if (pass != "backward_weights") reason = winograd_unsupported(s, ConvPass::kData);
  if (reason.empty() && pass != "backward_data") {
    reason = winograd_unsupported(s, ConvPass::kWeights);
  }
  return reason;
}

Variant variant(std::string name, std::string summary, Way way) {
  Variant v = hwy_variant("conv2d", std::move(summary),
                          [way](const StepRequest& request) { return prepare(request, way); });
  v.name = std::move(name);
  if (way == Way::kWinograd) v.unsupported = winograd_cannot;
  return v;
}

const VariantRow hwy_row{
    variant("hwy", "Winograd where its rule of shape says so, else direct", Way::kRule)};
const VariantRow direct_row{
    variant("direct", "the textbook's products: patches packed on the fly", Way::kDirect)};
const VariantRow winograd_row{
    variant("winograd", "F(4x4,3x3): fewer products, about four times the error", Way::kWinograd)};

}  // namespace
}  // namespace nsop::kernels
