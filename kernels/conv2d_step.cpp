#include "kernels/conv2d.h"
#include "kernels/step.h"

namespace nsop::kernels {
namespace {

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

std::unique_ptr<Step> prepare(const StepRequest& request) {
  using In = std::span<const float>;
  using Out = std::span<float>;
  const Conv2dShape s = shape_of(request.op_case);
  const std::string& pass = request.op_case.str("pass");
  const size_t floats = conv2d_workspace_floats(s, request.threads);
  const std::string data = conv2d_data_algorithm(s);
  const std::string weights = conv2d_weights_algorithm(s);
  if (pass == "forward") {
    return make_step(request, floats, conv2d_forward_algorithm(s), [s](StepBuffers& b) {
      const In bias = b.in.size() > 2 ? b.in[2] : In();
      conv2d_forward(s, b.in[0], b.in[1], bias, b.out[0], b.workspace.data(), *b.pool);
    });
  }
  if (pass == "backward_data") {
    return make_step(request, floats, data, [s](StepBuffers& b) {
      conv2d_backward_data(s, b.in[0], b.in[1], b.out[0], b.workspace.data(), *b.pool);
    });
  }
  if (pass == "backward_weights") {
    return make_step(request, floats, weights, [s](StepBuffers& b) {
      const Out dbias = b.out.size() > 1 ? b.out[1] : Out();
      conv2d_backward_weights(s, b.in[0], b.in[1], b.out[0], dbias, b.workspace.data(), *b.pool);
    });
  }
  return make_step(request, floats, "dx: " + data + "; dw: " + weights, [s](StepBuffers& b) {
    const Out dbias = b.out.size() > 2 ? b.out[2] : Out();
    conv2d_backward_data(s, b.in[1], b.in[2], b.out[0], b.workspace.data(), *b.pool);
    conv2d_backward_weights(s, b.in[0], b.in[2], b.out[1], dbias, b.workspace.data(), *b.pool);
  });
}

const VariantRow row{hwy_variant("conv2d", "implicit gemm: patches packed on the fly", prepare)};

}  // namespace
}  // namespace nsop::kernels
