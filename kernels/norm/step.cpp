// The variants of batchnorm, groupnorm, layernorm and rmsnorm.
#include "kernels/runtime/step.h"

#include "kernels/norm/norm.h"
#include "kernels/runtime/fresh_step.h"

namespace nsop::kernels {
namespace {

bool is_forward(const StepRequest& request) { return request.op_case.str("pass") == "forward"; }

NormPlanes planes_of(const Case& c, size_t groups) {
  const std::vector<int64_t> in = c.shape("in");
  return {static_cast<size_t>(in[0]), static_cast<size_t>(in[1]),
          static_cast<size_t>(element_count(in) / (in[0] * in[1])), groups};
}

constexpr const char* kPlanes = "moments by blocks in cache, planes in lanes";
constexpr const char* kRows = "moments by blocks in cache, rows in lanes";

std::unique_ptr<Step> prepare_planes(const StepRequest& request, const NormPlanes& s) {
  if (is_forward(request)) {
    return make_step(request, 0, kPlanes, [s](StepBuffers& b) {
      plane_norm_forward(s, b.in[0], b.in[1], b.in[2], b.out[0], b.out[1], b.out[2],
                         *b.thread_pool);
    });
  }
  return make_step(request, plane_norm_workspace_floats(s), kPlanes, [s](StepBuffers& b) {
    plane_norm_backward(s, b.in[0], b.in[1], b.in[2], b.in[3], b.in[4], b.out[0], b.out[1],
                        b.out[2], b.workspace.data(), *b.thread_pool);
  });
}

std::unique_ptr<Step> prepare_batchnorm(const StepRequest& request) {
  const NormPlanes s = planes_of(request.op_case, 0);
  if (request.op_case.str("mode") == "train") return prepare_planes(request, s);
  if (!is_forward(request)) {
    return make_step(
        request, plane_norm_workspace_floats(s), "planes in lanes", [s](StepBuffers& b) {
          plane_norm_inference_backward(s, b.in[0], b.in[1], b.in[2], b.in[3], b.in[4], b.out[0],
                                        b.out[1], b.out[2], b.workspace.data(), *b.thread_pool);
        });
  }
  return make_step(request, 0, "planes in lanes", [s](StepBuffers& b) {
    plane_norm_inference(s, b.in[0], b.in[1], b.in[2], b.in[3], b.in[4], b.out[0], *b.thread_pool);
  });
}

std::unique_ptr<Step> prepare_groupnorm(const StepRequest& request) {
  const auto groups = static_cast<size_t>(request.op_case.integer("groups"));
  return prepare_planes(request, planes_of(request.op_case, groups));
}

NormRows rows_of(const Case& c, size_t last, bool centred) {
  const std::vector<int64_t> n = c.shape("n");
  NormRows s{1, 1, centred};
  for (size_t i = 0; i < n.size(); ++i) {
    (i + last < n.size() ? s.rows : s.length) *= static_cast<size_t>(n[i]);
  }
  return s;
}

std::unique_ptr<Step> prepare_layernorm(const StepRequest& request) {
  const NormRows s =
      rows_of(request.op_case, static_cast<size_t>(request.op_case.integer("last")), true);
  if (is_forward(request)) {
    return make_step(request, 0, kRows, [s](StepBuffers& b) {
      row_norm_forward(s, b.in[0], b.in[1], b.in[2], b.out[0], b.out[1], b.out[2], *b.thread_pool);
    });
  }
  return make_step(request, row_norm_workspace_floats(s, request.threads), kRows,
                   [s](StepBuffers& b) {
                     row_norm_backward(s, b.in[0], b.in[1], b.in[2], b.in[3], b.in[4], b.out[0],
                                       b.out[1], b.out[2], b.workspace.data(), *b.thread_pool);
                   });
}

std::unique_ptr<Step> prepare_rmsnorm(const StepRequest& request) {
  const NormRows s = rows_of(request.op_case, 1, false);
  if (is_forward(request)) {
    return make_step(request, 0, kRows, [s](StepBuffers& b) {
      row_norm_forward(s, b.in[0], b.in[1], {}, b.out[0], {}, b.out[1], *b.thread_pool);
    });
  }
  return make_step(request, row_norm_workspace_floats(s, request.threads), kRows,
                   [s](StepBuffers& b) {
                     row_norm_backward(s, b.in[0], b.in[1], {}, b.in[2], b.in[3], b.out[0],
                                       b.out[1], {}, b.workspace.data(), *b.thread_pool);
                   });
}

const Variant batchnorm_hwy =
    hwy_variant("batchnorm", "two passes per channel, the second in cache", prepare_batchnorm);
const ForkingRow batchnorm_row{batchnorm_hwy};
const VariantRow batchnorm_fresh_row{fresh_variant(batchnorm_hwy)};
const VariantRow groupnorm_row{
    hwy_variant("groupnorm", "two passes per group, the second in cache", prepare_groupnorm)};
const Variant layernorm_hwy =
    hwy_variant("layernorm", "two passes per row, the second in cache", prepare_layernorm);
const ForkingRow layernorm_row{layernorm_hwy};
const VariantRow layernorm_fresh_row{fresh_variant(layernorm_hwy)};
const VariantRow rmsnorm_row{
    hwy_variant("rmsnorm", "two passes per row, the second in cache", prepare_rmsnorm)};

}  // namespace
}  // namespace nsop::kernels
