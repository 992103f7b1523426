// matmul, dense, dot and norms by CBLAS: plain row-major tensors, outputs in place, no reorders.
// Whatever the library packs or allocates happens inside the step.
#include "reference/peers/blas/blas.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "reference/peers/peer.h"
#include "reference/spec/axis.h"

// The reference prototypes, so that no library's header is preferred.
extern "C" {
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float* a, int lda,
                 const float* x, int incx, float beta, float* y, int incy);
float cblas_sdot(int n, const float* x, int incx, const float* y, int incy);
float cblas_snrm2(int n, const float* x, int incx);
float cblas_sasum(int n, const float* x, int incx);
}

namespace nsop::reference::peers {
namespace {

enum Cblas : int { kRowMajor = 101, kNoTrans = 111, kTrans = 112 };

// c [m,n] = op(a) op(b) + beta c, all row-major.
struct Sgemm {
  int m, n, k;
  bool a_transposed, b_transposed;
  void operator()(const float* a, const float* b, float beta, float* c) const {
    cblas_sgemm(kRowMajor, a_transposed ? kTrans : kNoTrans, b_transposed ? kTrans : kNoTrans, m, n,
                k, 1.0f, a, a_transposed ? m : k, b, b_transposed ? k : n, beta, c, n);
  }
};

int as_int(int64_t size) { return static_cast<int>(size); }

std::string describe(const std::string& calls) {
  return fmt::format("{} ({}); plain layout, no reorders", calls, blas_library().details());
}

std::unique_ptr<Step> matmul(const StepRequest& request) {
  const Case& c = request.op_case;
  const Sgemm gemm{as_int(c.integer("m")), as_int(c.integer("n")), as_int(c.integer("k")),
                   c.str("trans")[0] == 't', c.str("trans")[1] == 't'};
  const int64_t batch = c.integer("batch");
  const float* a = request.inputs[0].data().data();
  const float* b = request.inputs[1].data().data();
  float* y = request.outputs[0].data().data();
  const int64_t as = int64_t{gemm.m} * gemm.k, bs = int64_t{gemm.k} * gemm.n;
  const int64_t ys = int64_t{gemm.m} * gemm.n;
  return call_step(request, describe("cblas_sgemm"), 0, [=] {
    for (int64_t i = 0; i < batch; ++i) gemm(a + i * as, b + i * bs, 0, y + i * ys);
  });
}

std::string matmul_unsupported(const Case& c, int /*threads*/) {
  if (c.flag("bias") || c.str("act") != "none") return "BLAS has no fused bias or activation";
  return {};
}

// One of the three products of a dense layer, with a bias as the textbook user of a BLAS adds it:
// rows of it copied into y beforehand, and its gradient as dy^T times a vector of ones.
struct Dense {
  explicit Dense(const Case& c)
      : batch(as_int(c.shape("in")[0])),
        in(as_int(c.shape("in")[1])),
        out(as_int(c.integer("out"))),
        oi(c.str("w") == "oi") {}
  void forward(const float* x, const float* w, const float* bias, float* y) const {
    for (int i = 0; bias != nullptr && i < batch; ++i) std::copy_n(bias, out, y + int64_t{i} * out);
    Sgemm{batch, out, in, false, oi}(x, w, bias == nullptr ? 0.0f : 1.0f, y);
  }
  void data(const float* w, const float* dy, float* dx) const {
    Sgemm{batch, in, out, false, !oi}(dy, w, 0, dx);
  }
  void weights(const float* x, const float* dy, float* dw) const {
    if (oi) {
      Sgemm{out, in, batch, true, false}(dy, x, 0, dw);
    } else {
      Sgemm{in, out, batch, true, false}(x, dy, 0, dw);
    }
  }
  void bias_gradient(const float* dy, const float* ones, float* db) const {
    cblas_sgemv(kRowMajor, kTrans, batch, out, 1.0f, dy, out, ones, 1, 0.0f, db, 1);
  }
  int batch, in, out;
  bool oi;
};

std::unique_ptr<Step> dense(const StepRequest& request) {
  const Case& c = request.op_case;
  const Dense d(c);
  const bool bias = c.flag("bias");
  const std::string& pass = c.str("pass");
  std::vector<const float*> in;
  for (const Tensor& t : request.inputs) in.push_back(t.data().data());
  std::vector<float*> out;
  for (Tensor& t : request.outputs) out.push_back(t.data().data());
  if (pass == "forward") {
    return call_step(request, describe("cblas_sgemm, bias copied before"), 0,
                     [=] { d.forward(in[0], in[1], bias ? in[2] : nullptr, out[0]); });
  }
  if (pass == "backward_data") {
    return call_step(request, describe("cblas_sgemm"), 0, [=] { d.data(in[0], in[1], out[0]); });
  }
  const bool both = pass == "backward";
  const std::vector<float> ones(static_cast<size_t>(d.batch), 1.0f);
  return call_step(request, describe("cblas_sgemm, db by cblas_sgemv"), 4 * ones.size(), [=] {
    const float* dy = in.back();
    if (both) d.data(in[1], dy, out[0]);
    d.weights(in[0], dy, out[both ? 1 : 0]);
    if (bias) d.bias_gradient(dy, ones.data(), out[both ? 2 : 1]);
  });
}

std::unique_ptr<Step> dot(const StepRequest& request) {
  const int n = as_int(request.op_case.integer("n"));
  const float* a = request.inputs[0].data().data();
  const float* b = request.inputs[1].data().data();
  float* y = request.outputs[0].data().data();
  return call_step(request, describe("cblas_sdot"), 0, [=] { *y = cblas_sdot(n, a, 1, b, 1); });
}

using Norm = float (*)(int n, const float* x, int incx);

std::unique_ptr<Step> norm(const StepRequest& request, const char* name, Norm function) {
  const int n = as_int(static_cast<int64_t>(request.inputs[0].size()));
  const float* x = request.inputs[0].data().data();
  float* y = request.outputs[0].data().data();
  return call_step(request, describe(name), 0, [=] { *y = function(n, x, 1); });
}

std::string norm_unsupported(const Case& c, int /*threads*/) {
  const AxisShape s = axis_shape_of(c);
  return s.outer == 1 && s.inner == 1 ? "" : "BLAS has norms of whole vectors only";
}

Variant variant(const std::string& op, std::function<std::string(const Case&, int)> unsupported,
                std::function<std::unique_ptr<Step>(const StepRequest&)> prepare) {
  return peer_variant(op, blas_library().name, "CBLAS calls", blas_library().versions,
                      std::move(unsupported),
                      [prepare = std::move(prepare)](const StepRequest& request) {
                        blas_library().set_threads(request.threads);
                        return prepare(request);
                      });
}

const VariantRow matmul_row{variant("matmul", matmul_unsupported, matmul)};
const VariantRow dense_row{variant("dense", supports_everything, dense)};
const VariantRow dot_row{variant("dot", supports_everything, dot)};
const VariantRow norm_l1_row{variant("norm_l1", norm_unsupported, [](const StepRequest& request) {
  return norm(request, "cblas_sasum", cblas_sasum);
})};
const VariantRow norm_l2_row{variant("norm_l2", norm_unsupported, [](const StepRequest& request) {
  return norm(request, "cblas_snrm2", cblas_snrm2);
})};

}  // namespace
}  // namespace nsop::reference::peers
