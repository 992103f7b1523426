#include "kernels/elementwise/unary_step.h"

#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/step.h"
#ifdef NSOP_SLOW_OP
#include "kernels/elementwise/slow_on_purpose.h"
#endif

namespace nsop::kernels {
namespace {

std::unique_ptr<Step> forward_step(const StepRequest& request, ForwardKernel forward) {
#ifdef NSOP_SLOW_OP
  // A build that shows what a gate can see: one op does a part of its outputs again.
  if (request.op_case.op() == NSOP_SLOW_OP) {
    return make_step(request, 0, single_pass(request), [forward](StepBuffers& b) {
      forward(b.in[0], b.out[0], *b.thread_pool);
      if (slow::is_slow(slow::NSOP_SLOW_WHEN, NSOP_SLOW_SHARE)) {
        slow::again(forward, b, NSOP_SLOW_PERCENT, slow::NSOP_SLOW_WHEN == slow::When::kThreads);
      }
    });
  }
#endif
  return make_step(request, 0, single_pass(request),
                   [forward](StepBuffers& b) { forward(b.in[0], b.out[0], *b.thread_pool); });
}

}  // namespace

Variant unary_variant(const std::string& op, ForwardKernel forward, BackwardKernel backward) {
  const auto prepare = [forward, backward](const StepRequest& request) -> std::unique_ptr<Step> {
    if (request.op_case.str("pass") == "forward") return forward_step(request, forward);
    return make_step(request, 0, single_pass(request), [backward](StepBuffers& b) {
      backward(b.in[0], b.in[1], b.out[0], *b.thread_pool);
    });
  };
  return hwy_variant(op, "one pass over vectors, split over threads", prepare);
}

}  // namespace nsop::kernels
