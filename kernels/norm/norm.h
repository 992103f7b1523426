// Normalisation: values are divided into groups, each group is brought to mean 0 and variance 1
// (population variance, 1e-5 added), then scaled by gamma and shifted by beta. Tensors are
// contiguous float32. All outputs are overwritten; none may be an input.
//
// A backward pass is given the statistics that the forward pass returned for its x.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

constexpr float kNormEpsilon = 1e-5f;

using ConstFloats = std::span<const float>;
using Floats = std::span<float>;

// x [batch, channels, pixels]. Gamma and beta belong to channels.
struct NormPlanes {
  size_t batch = 0;
  size_t channels = 0;
  size_t pixels = 0;
  // 0: statistics over batch and pixels, per channel (batch normalisation). Otherwise over the
  // pixels and neighbouring channels of a sample: so many groups, a divisor of channels.
  size_t groups = 0;

  size_t planes() const { return batch * channels; }
  size_t size() const { return planes() * pixels; }
  // One group of statistics: `planes_per_group` planes, `plane_step` apart.
  size_t statistics() const { return groups == 0 ? channels : batch * groups; }
  size_t planes_per_group() const { return groups == 0 ? batch : channels / groups; }
  size_t plane_step() const { return groups == 0 ? channels : 1; }
  size_t first_plane(size_t group) const {
    return groups == 0 ? group : group * planes_per_group();
  }
  size_t count() const { return planes_per_group() * pixels; }
};

// mean and inv_std have one value per group of statistics.
void plane_norm_forward(const NormPlanes& shape, ConstFloats x, ConstFloats gamma, ConstFloats beta,
                        Floats y, Floats mean, Floats inv_std, ThreadPool& thread_pool);
// The same with given statistics of the channels.
void plane_norm_inference(const NormPlanes& shape, ConstFloats x, ConstFloats gamma,
                          ConstFloats beta, ConstFloats mean, ConstFloats variance, Floats y,
                          ThreadPool& thread_pool);
size_t plane_norm_workspace_floats(const NormPlanes& shape);  // of the backward pass
void plane_norm_backward(const NormPlanes& shape, ConstFloats x, ConstFloats gamma,
                         ConstFloats mean, ConstFloats inv_std, ConstFloats dy, Floats dx,
                         Floats dgamma, Floats dbeta, Floats workspace, ThreadPool& thread_pool);
// The gradients of plane_norm_inference: of x and of the affine part; the statistics are constants.
// The other backward pass says how large the workspace is.
void plane_norm_inference_backward(const NormPlanes& shape, ConstFloats x, ConstFloats gamma,
                                   ConstFloats mean, ConstFloats variance, ConstFloats dy,
                                   Floats dx, Floats dgamma, Floats dbeta, Floats workspace,
                                   ThreadPool& thread_pool);

// x [rows, length], statistics per row, gamma and beta [length].
struct NormRows {
  size_t rows = 0;
  size_t length = 0;
  // Without mean and beta (both empty): y = x * inv_rms * gamma, root mean square normalisation.
  bool centred = true;
};

void row_norm_forward(const NormRows& shape, ConstFloats x, ConstFloats gamma, ConstFloats beta,
                      Floats y, Floats mean, Floats inv_std, ThreadPool& thread_pool);
size_t row_norm_workspace_floats(const NormRows& shape, int threads);  // of the backward pass
// dbeta is empty when not centred.
void row_norm_backward(const NormRows& shape, ConstFloats x, ConstFloats gamma, ConstFloats mean,
                       ConstFloats inv_std, ConstFloats dy, Floats dx, Floats dgamma, Floats dbeta,
                       Floats workspace, ThreadPool& thread_pool);

}  // namespace nsop::kernels
