#include "kernels/gemm/dense.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "kernels/gemm/dense_vector.h"
#include "kernels/half/half_step.h"
#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/ways.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/dense.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// sums[j] = sum of rows[i * ld + j] over i < count, for j < columns. 4 bytes and 1 flop per
// element.
void column_sums(const float* rows, size_t ld, size_t count, size_t columns, float* sums) {
  const FloatTag d;
  size_t j = 0;
  for (; j + 4 * kLanes <= columns; j += 4 * kLanes) {
    FloatVec sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (size_t i = 0; i < count; ++i) {
      const float* row = rows + i * ld + j;
      HWY_UNROLL(4)
      for (size_t v = 0; v < 4; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, row + v * kLanes));
    }
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) hn::StoreU(sum[v], d, sums + j + v * kLanes);
  }
  for (; j < columns; j += kLanes) {
    const size_t left = HWY_MIN(kLanes, columns - j);
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < count; ++i) sum = hn::Add(sum, load_n(d, rows + i * ld + j, left));
    store_n(sum, d, sums + j, left);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(column_sums);

}  // namespace

Gemm dense_forward_gemm(const DenseShape& shape) {
  Gemm g;
  g.m = shape.batch;
  g.n = shape.out;
  g.k = shape.in;
  g.lda = shape.in;
  g.ldb = shape.out_by_in ? shape.in : shape.out;
  g.b_transposed = shape.out_by_in;
  g.ldc = shape.out;
  return g;
}

Gemm dense_data_gemm(const DenseShape& shape) {
  Gemm g;
  g.m = shape.batch;
  g.n = shape.in;
  g.k = shape.out;
  g.lda = shape.out;
  g.ldb = shape.out_by_in ? shape.in : shape.out;
  g.b_transposed = !shape.out_by_in;
  g.ldc = shape.in;
  return g;
}

Gemm dense_weights_gemm(const DenseShape& shape) {
  Gemm g;
  g.m = shape.out_by_in ? shape.out : shape.in;
  g.n = shape.out_by_in ? shape.in : shape.out;
  g.k = shape.batch;
  g.lda = g.m;
  g.a_transposed = true;
  g.ldb = g.n;
  g.ldc = g.n;
  return g;
}

size_t dense_workspace_floats(const DenseShape& shape, int threads) {
  return std::max({gemm_workspace_floats(dense_forward_gemm(shape), threads),
                   gemm_workspace_floats(dense_data_gemm(shape), threads),
                   gemm_workspace_floats(dense_weights_gemm(shape), threads)});
}

void dense_forward(const DenseShape& shape, std::span<const float> x, std::span<const float> w,
                   std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                   ThreadPool& thread_pool) {
  assert(x.size() == shape.batch * shape.in && w.size() == shape.in * shape.out);
  assert(y.size() == shape.batch * shape.out && (bias.empty() || bias.size() == shape.out));
  Gemm g = dense_forward_gemm(shape);
  g.a = x.data();
  g.b = w.data();
  g.c = y.data();
  if (!bias.empty()) g.column_bias = bias.data();
  gemm(g, workspace, thread_pool);
}

void dense_backward_data(const DenseShape& shape, std::span<const float> w,
                         std::span<const float> dy, std::span<float> dx, std::span<float> workspace,
                         ThreadPool& thread_pool) {
  assert(dy.size() == shape.batch * shape.out && w.size() == shape.in * shape.out);
  assert(dx.size() == shape.batch * shape.in);
  Gemm g = dense_data_gemm(shape);
  g.a = dy.data();
  g.b = w.data();
  g.c = dx.data();
  gemm(g, workspace, thread_pool);
}

void dense_backward_weights(const DenseShape& shape, std::span<const float> x,
                            std::span<const float> dy, std::span<float> dw, std::span<float> dbias,
                            std::span<float> workspace, ThreadPool& thread_pool) {
  assert(x.size() == shape.batch * shape.in && dy.size() == shape.batch * shape.out);
  assert(dw.size() == shape.in * shape.out && (dbias.empty() || dbias.size() == shape.out));
  Gemm g = dense_weights_gemm(shape);
  g.a = shape.out_by_in ? dy.data() : x.data();
  g.b = shape.out_by_in ? x.data() : dy.data();
  g.c = dw.data();
  gemm(g, workspace, thread_pool);
  if (!dbias.empty()) dense_backward_bias(shape, dy, dbias, thread_pool);
}

void dense_backward_bias(const DenseShape& shape, std::span<const float> dy, std::span<float> dbias,
                         ThreadPool& thread_pool) {
  assert(dy.size() == shape.batch * shape.out && dbias.size() == shape.out);
  const auto sum = HWY_DYNAMIC_DISPATCH(column_sums);
  const size_t least = std::max<size_t>(64, kReducedElements / shape.batch);
  parallel_chunks(thread_pool, shape.out, least, [&](size_t begin, size_t end) {
    sum(dy.data() + begin, shape.out, shape.batch, end - begin, dbias.data() + begin);
  });
}

namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// A way of computing both gradients.
struct DenseBackwardWay {
  Required<bool (*)(const DenseShape& shape)> pays;
  Required<decltype(&dense_backward)> run;
  Required<std::string (*)(const DenseShape& shape)> describe;  // on the current target
};

void backward_in_one_pass(const DenseShape& shape, In x, In w, In dy, Out dx, Out dw, Out dbias,
                          Out /*workspace*/, ThreadPool& thread_pool) {
  dense_vector_backward(shape, x, w, dy, dx, dw, thread_pool);
  std::copy_n(dy.begin(), dbias.size(), dbias.begin());
}

void backward_by_products(const DenseShape& shape, In x, In w, In dy, Out dx, Out dw, Out dbias,
                          Out workspace, ThreadPool& thread_pool) {
  dense_backward_data(shape, w, dy, dx, workspace, thread_pool);
  dense_backward_weights(shape, x, dy, dw, dbias, workspace, thread_pool);
}

std::string two_products(const DenseShape& shape) {
  return "dx: " + gemm_algorithm(dense_data_gemm(shape)) +
         "; dw: " + gemm_algorithm(dense_weights_gemm(shape));
}

// In the order in which they are asked; nothing else decides between the ways.
constexpr DenseBackwardWay kDenseBackwardWays[] = {
    {.pays = [](const DenseShape& s) { return s.batch == 1; },
     .run = backward_in_one_pass,
     .describe = [](const DenseShape&) { return std::string("one pass"); }},
    {.pays = [](const DenseShape&) { return true; },
     .run = backward_by_products,
     .describe = two_products},
};

}  // namespace

std::string dense_backward_algorithm(const DenseShape& shape) {
  return first_that_pays(kDenseBackwardWays, shape).describe(shape);
}

void dense_backward(const DenseShape& shape, std::span<const float> x, std::span<const float> w,
                    std::span<const float> dy, std::span<float> dx, std::span<float> dw,
                    std::span<float> dbias, std::span<float> workspace, ThreadPool& thread_pool) {
  first_that_pays(kDenseBackwardWays, shape)
      .run(shape, x, w, dy, dx, dw, dbias, workspace, thread_pool);
}

namespace {

DenseShape shape_of(const Case& c) {
  const std::vector<int64_t> in = c.shape("in");
  return {static_cast<size_t>(in[0]), static_cast<size_t>(in[1]),
          static_cast<size_t>(c.integer("out")), c.str("w") == "oi"};
}

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const DenseShape s = shape_of(request.op_case);
  const std::string& pass = request.op_case.str("pass");
  const size_t floats = dense_workspace_floats(s, request.threads);
  if (pass == "forward") {
    return make_step(request, floats, gemm_algorithm(dense_forward_gemm(s)), [s](StepBuffers& b) {
      const In bias = b.in.size() > 2 ? b.in[2] : In();
      dense_forward(s, b.in[0], b.in[1], bias, b.out[0], b.workspace.data(), *b.thread_pool);
    });
  }
  if (pass == "backward_data") {
    return make_step(request, floats, gemm_algorithm(dense_data_gemm(s)), [s](StepBuffers& b) {
      dense_backward_data(s, b.in[0], b.in[1], b.out[0], b.workspace.data(), *b.thread_pool);
    });
  }
  if (pass == "backward_weights") {
    return make_step(request, floats, gemm_algorithm(dense_weights_gemm(s)), [s](StepBuffers& b) {
      const Out dbias = b.out.size() > 1 ? b.out[1] : Out();
      dense_backward_weights(s, b.in[0], b.in[1], b.out[0], dbias, b.workspace.data(),
                             *b.thread_pool);
    });
  }
  return make_step(request, floats, dense_backward_algorithm(s), [s](StepBuffers& b) {
    const Out dbias = b.out.size() > 2 ? b.out[2] : Out();
    dense_backward(s, b.in[0], b.in[1], b.in[2], b.out[0], b.out[1], dbias, b.workspace.data(),
                   *b.thread_pool);
  });
}

const Variant hwy =
    with_widened_halves(hwy_variant("dense", "products by register tiles, bias fused", prepare));
const ForkingRow row{hwy};
const VariantRow fresh_row{fresh_variant(hwy)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
