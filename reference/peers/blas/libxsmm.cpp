// Small products by libxsmm's generated kernels: one kernel for the whole product, made at set-up,
// on plain tensors. The library is column-major, so it computes the transposed product of the
// operands swapped; a stored transpose that its generator doesn't take is transposed by the library
// inside the step.
#include <fmt/format.h>
#include <libxsmm.h>

#include "harness/core/error.h"
#include "reference/peers/peer.h"

namespace nsop::reference::peers {
namespace {

// Its column-major names: c' [m,n] = a' [m,k] b' [k,n].
struct Product {
  explicit Product(const Case& c)
      : m(static_cast<int>(c.integer("n"))),
        n(static_cast<int>(c.integer("m"))),
        k(static_cast<int>(c.integer("k"))),
        a_transposed(c.str("trans")[1] == 't'),
        b_transposed(c.str("trans")[0] == 't') {}
  // nullptr where the generator has none.
  libxsmm_smmfunction kernel() const {
    const int lda = m, ldb = b_transposed ? n : k, ldc = m;
    const float alpha = 1, beta = 0;
    const int flags = b_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    return libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, nullptr);
  }
  int m, n, k;
  bool a_transposed, b_transposed;
};

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Product p(request.op_case);
  const libxsmm_smmfunction kernel = p.kernel();
  if (kernel == nullptr) throw environment_error("libxsmm generates no kernel for this product");
  const float* a = request.inputs[1].data().data();
  const float* b = request.inputs[0].data().data();
  float* c = request.outputs[0].data().data();
  const std::string chose =
      fmt::format("generated kernel ({}); plain layout, {}", libxsmm_get_target_arch(),
                  p.a_transposed ? "one transpose inside" : "no reorders");
  if (!p.a_transposed) return call_step(request, chose, 0, [=] { kernel(a, b, c); });
  auto scratch = std::make_shared<Tensor>(Shape{int64_t{p.m} * p.k});
  return call_step(request, chose, scratch->size() * sizeof(float), [=] {
    libxsmm_otrans(scratch->data().data(), a, sizeof(float), static_cast<libxsmm_blasint>(p.k),
                   static_cast<libxsmm_blasint>(p.m), static_cast<libxsmm_blasint>(p.k),
                   static_cast<libxsmm_blasint>(p.m));
    kernel(scratch->data().data(), b, c);
  });
}

std::string unsupported(const Case& c, int threads) {
  if (threads > 1) return "libxsmm's kernels run on one thread";
  if (c.flag("bias") || c.str("act") != "none" || c.integer("batch") != 1) {
    return "measured on single plain products only";
  }
  const Product p(c);
  const int64_t volume = int64_t{p.m} * p.n * p.k;
  if (volume > int64_t{512} * 512 * 512) return "libxsmm is for small products, up to 512^3";
  if (p.kernel() == nullptr) return "libxsmm generates no kernel for this product";
  return {};
}

const VariantRow row{peer_variant(
    "matmul", "libxsmm", "one generated kernel",
    [] {
      const bool avx2 = std::string(libxsmm_get_target_arch()) == "hsw";
      return held_targets({LIBXSMM_VERSION}, avx2 ? "AVX2" : "");
    },
    unsupported, prepare)};

}  // namespace
}  // namespace nsop::reference::peers
