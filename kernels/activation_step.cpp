#include "kernels/activation_step.h"

#include "kernels/step.h"

namespace nsop::kernels {

Variant activation_variant(const std::string& op, ForwardKernel forward, BackwardKernel backward) {
  const auto prepare = [forward, backward](const StepRequest& request) -> std::unique_ptr<Step> {
    if (request.op_case.str("pass") == "forward") {
      return make_step(request, 0, "single pass",
                       [forward](StepBuffers& b) { forward(b.in[0], b.out[0], *b.pool); });
    }
    return make_step(request, 0, "single pass",
                     [backward](StepBuffers& b) { backward(b.in[0], b.in[1], b.out[0], *b.pool); });
  };
  return hwy_variant(op, "one pass over vectors, split over threads", prepare);
}

}  // namespace nsop::kernels
