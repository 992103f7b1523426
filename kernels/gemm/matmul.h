// Matrix product of row-major float32 matrices.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/gemm/gemm.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// c[m,n] = f(op(a) op(b) + bias), where op transposes or not: a is [m,k], or [k,m] when transposed;
// b is [k,n], or [n,k] when transposed; bias is [n]. With batch > 1, a, b and c are so many
// consecutive matrices, which share the bias.
struct MatmulShape {
  size_t m = 0;
  size_t n = 0;
  size_t k = 0;
  bool a_transposed = false;
  bool b_transposed = false;
  size_t batch = 1;
  FusedActivation activation = FusedActivation::kNone;
};

// One product on contiguous matrices; data pointers are left empty.
Gemm matmul_gemm(const MatmulShape& shape);

// Floats of workspace (64-byte aligned) that matmul() needs.
size_t matmul_workspace_floats(const MatmulShape& shape, int threads);

// c is overwritten; it must not overlap the inputs. An empty bias is none.
void matmul(const MatmulShape& shape, std::span<const float> a, std::span<const float> b,
            std::span<const float> bias, std::span<float> c, std::span<float> workspace,
            ThreadPool& thread_pool);

}  // namespace nsop::kernels
