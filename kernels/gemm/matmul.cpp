#include "kernels/gemm/matmul.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "kernels/half/half_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

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
  g.activation = shape.activation;
  return g;
}

namespace {

// Of a batch, whole rounds of one product per thread; the products that are left over are done one
// after the other by all threads.
size_t in_rounds(const MatmulShape& shape, size_t threads) {
  return threads == 1 ? 0 : shape.batch / threads * threads;
}

}  // namespace

size_t matmul_workspace_floats(const MatmulShape& shape, int threads) {
  const Gemm g = matmul_gemm(shape);
  const auto count = static_cast<size_t>(threads);
  const size_t shared = gemm_workspace_floats(g, threads);
  if (in_rounds(shape, count) == 0) return shared;
  return std::max(shared, count * aligned_floats(gemm_workspace_floats(g, 1)));
}

void matmul(const MatmulShape& shape, std::span<const float> a, std::span<const float> b,
            std::span<const float> bias, std::span<float> c, std::span<float> workspace,
            ThreadPool& thread_pool) {
  assert(a.size() == shape.batch * shape.m * shape.k);
  assert(b.size() == shape.batch * shape.k * shape.n);
  assert(c.size() == shape.batch * shape.m * shape.n);
  assert(bias.empty() || bias.size() == shape.n);
  const auto multiply = [&](size_t i, std::span<float> own, ThreadPool& own_threads) {
    Gemm g = matmul_gemm(shape);
    g.a = a.data() + i * shape.m * shape.k;
    g.b = b.data() + i * shape.k * shape.n;
    g.c = c.data() + i * shape.m * shape.n;
    if (!bias.empty()) g.column_bias = bias.data();
    gemm(g, own, own_threads);
  };
  if (shape.batch == 1)
    return multiply(0, workspace, thread_pool);  // the divisions below take time
  const size_t macs = shape.batch * shape.m * shape.n * shape.k;
  if (worthwhile_parts(thread_pool, macs, kProductMacs) == 1) {
    for (size_t i = 0; i < shape.batch; ++i) multiply(i, workspace, serial_threads());
    return;
  }
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const size_t rounds = in_rounds(shape, threads);
  const size_t own_floats = workspace.size() / threads / 16 * 16;
  thread_pool.parallel(static_cast<int>(rounds), [&](int i, int thread) {
    multiply(static_cast<size_t>(i),
             workspace.subspan(static_cast<size_t>(thread) * own_floats, own_floats),
             serial_threads());
  });
  for (size_t i = rounds; i < shape.batch; ++i) multiply(i, workspace, thread_pool);
}

namespace {

FusedActivation activation_of(const std::string& name) {
  if (name == "relu") return FusedActivation::kRelu;
  if (name == "tanh") return FusedActivation::kTanh;
  if (name == "sigmoid") return FusedActivation::kSigmoid;
  if (name == "gelu") return FusedActivation::kGelu;
  return FusedActivation::kNone;
}

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const std::string& trans = c.str("trans");
  MatmulShape shape;
  shape.m = static_cast<size_t>(c.integer("m"));
  shape.n = static_cast<size_t>(c.integer("n"));
  shape.k = static_cast<size_t>(c.integer("k"));
  shape.a_transposed = trans[0] == 't';
  shape.b_transposed = trans[1] == 't';
  shape.batch = static_cast<size_t>(c.integer("batch"));
  shape.activation = activation_of(c.str("act"));
  return make_step(request, matmul_workspace_floats(shape, request.threads),
                   gemm_algorithm(matmul_gemm(shape)), [shape](StepBuffers& b) {
                     const auto bias = b.in.size() > 2 ? b.in[2] : std::span<const float>();
                     matmul(shape, b.in[0], b.in[1], bias, b.out[0], b.workspace.data(),
                            *b.thread_pool);
                   });
}

const ForkingRow row{with_widened_halves(
    hwy_variant("matmul", "register tiles, packed when large; bias, activation fused", prepare))};

}  // namespace
}  // namespace nsop::kernels
