// C = A B on row-major float32 matrices, blocked and packed: the core of matmul, dense and conv2d.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// A block of B: rows [k0, k0 + depth) x columns [j0, j0 + columns), to be written with `width` >=
// columns floats per row, the surplus as zeros.
struct PanelBlock {
  size_t k0 = 0;
  size_t depth = 0;
  size_t j0 = 0;
  size_t columns = 0;
  size_t width = 0;
};

// Produces B block by block when it isn't a matrix in memory (the patches of a convolution, packed
// weights). `fill` may be called by several threads at once.
struct PanelSource {
  void (*fill)(const void* context, const PanelBlock& block, float* panel) = nullptr;
  const void* context = nullptr;
  size_t granule = 1;  // k must be a multiple; k0 and depth of every block are
};

// What is done to the elements of C last, while they are still in cache. kGelu is the form with
// tanh, 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
enum class FusedActivation { kNone, kRelu, kTanh, kSigmoid, kGelu };

// Lanes per row of Gemm::row_sums.
constexpr size_t kRowSumLanes = 16;

// One product: C[m,n] = A[m,k] B[k,n], m, n, k >= 1. Leading dimensions are the distances of rows
// in floats. Nothing needs alignment. C must not overlap the inputs.
struct Gemm {
  size_t m = 0;
  size_t n = 0;
  size_t k = 0;
  const float* a = nullptr;  // [m,k], or [k,m] when transposed
  size_t lda = 0;
  bool a_transposed = false;
  const float* b = nullptr;  // [k,n], or [n,k] when transposed; unused when b_source.fill is set
  size_t ldb = 0;
  bool b_transposed = false;
  PanelSource b_source;
  float* c = nullptr;
  size_t ldc = 0;
  bool accumulate = false;             // C += instead of C =
  const float* row_bias = nullptr;     // [m], added to each element of its row; not with accumulate
  const float* column_bias = nullptr;  // [n], added to each element of its column; likewise
  FusedActivation activation = FusedActivation::kNone;  // of the finished sum; not with row_sums
  // If set, C isn't written: to row i's kRowSumLanes floats, zeroed by the caller, values are added
  // that together are the sum of row i of A B (without bias).
  float* row_sums = nullptr;
};

// Floats that gemm() needs as workspace for a product of this form and so many threads. The data
// pointers don't matter, but b_source.fill, row_sums and the other members do.
size_t gemm_workspace_floats(const Gemm& gemm, int threads);

// Computes the product with the threads of the pool. The workspace must be 64-byte aligned; what is
// in it doesn't matter.
void gemm(const Gemm& gemm, std::span<float> workspace, ThreadPool& thread_pool);

// What gemm() does with it on the current target, e.g. `gemm packed 8x48`.
std::string gemm_algorithm(const Gemm& gemm);

// `floats` rounded up to whole cache lines, so that the next part of a workspace stays aligned.
constexpr size_t aligned_floats(size_t floats) { return (floats + 15) / 16 * 16; }

}  // namespace nsop::kernels
