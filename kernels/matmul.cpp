#include "kernels/matmul.h"

#include <cassert>
#include <string>

#include "kernels/step.h"

namespace nsop::kernels {

Gemm matmul_gemm(const MatmulShape& shape) {
  Gemm g;
  g.m = shape.m;
  g.n = shape.n;
  g.k = shape.k;
  g.a_transposed = shape.a_transposed;
  g.b_transposed = shape.b_transposed;
  g.lda = shape.a_transposed ? shape.m : shape.k;
  g.ldb = shape.b_transposed ? shape.k : shape.n;
  g.ldc = shape.n;
  return g;
}

size_t matmul_workspace_floats(const MatmulShape& shape, int threads) {
  return gemm_workspace_floats(matmul_gemm(shape), threads);
}

void matmul(const MatmulShape& shape, std::span<const float> a, std::span<const float> b,
            std::span<float> c, std::span<float> workspace, Pool& pool) {
  assert(a.size() == shape.m * shape.k && b.size() == shape.k * shape.n);
  assert(c.size() == shape.m * shape.n);
  Gemm g = matmul_gemm(shape);
  g.a = a.data();
  g.b = b.data();
  g.c = c.data();
  gemm(g, workspace, pool);
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const std::string& trans = c.str("trans");
  MatmulShape shape;
  shape.m = static_cast<size_t>(c.integer("m"));
  shape.n = static_cast<size_t>(c.integer("n"));
  shape.k = static_cast<size_t>(c.integer("k"));
  shape.a_transposed = trans[0] == 't';
  shape.b_transposed = trans[1] == 't';
  return make_step(request, matmul_workspace_floats(shape, request.threads),
                   gemm_algorithm(matmul_gemm(shape)), [shape](StepBuffers& b) {
                     matmul(shape, b.in[0], b.in[1], b.out[0], b.workspace.data(), *b.pool);
                   });
}

const VariantRow row{hwy_variant("matmul", "register tiles, packed when large", prepare)};

}  // namespace
}  // namespace nsop::kernels
