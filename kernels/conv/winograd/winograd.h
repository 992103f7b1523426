// Winograd's minimal filtering F(4x4, 3x3) for convolutions of stride 1: 36 products per channel
// for 4 x 4 outputs where the direct sum needs 144; on one axis F(4, 3), 6 where it needs 12. Lavin
// & Gray 2015, Fast Algorithms for Convolutional Neural Networks, arXiv:1509.09308. The polynomials
// are evaluated at 0, +-1/sqrt 2, +-sqrt 2 and infinity: the factors of the transforms, and with
// them the rounding errors, are smaller than at the paper's 0, +-1, +-2 and infinity. The
// tolerances of the op hold for sums of at least kLeastTerms products.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Fewer products per sum than this, and the error of the transforms, which does not average out,
// would exceed what a direct sum may lose.
constexpr size_t kLeastTerms = 128;

// Why the pass can't be done this way; empty when it can: kernels of 3 x 3 x 3 (each of whose
// slices is one of 3 x 3; their products are summed before the transform back), 3 x 3, or 3 on the
// last axis alone, stride 1, dilation 1, no mean, padding of at most 2, at least kLeastTerms
// products in every sum, of one slice of the kernel.
std::string winograd_unsupported(const ConvShape& shape, ConvPass pass);

// Is it the faster way, too? A rule of the shape, from the operations and the memory traffic of the
// transforms: supported, at least 16 channels on both sides, and at least 9 tiles of 4 x 4 outputs
// in all images (32 of 4 outputs for kernels on the last axis alone), half of which (three of four)
// are outputs and no edge. Kernels with slices do their tiles slice by slice; then the tiles of a
// slice must fill vectors of 16 by three quarters.
bool winograd_pays(const ConvShape& shape, ConvPass pass);

// Floats of workspace (64-byte aligned) that is enough for the pass.
size_t winograd_workspace_floats(const ConvShape& shape, ConvPass pass, int threads);

// The passes (kernels/conv/ways/way.h says how their tensors lie), which must be supported.
void winograd_forward(const ConvShape& shape, std::span<const float> x, std::span<const float> w,
                      std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                      ThreadPool& thread_pool);
void winograd_backward_data(const ConvShape& shape, std::span<const float> w,
                            std::span<const float> dy, std::span<float> dx,
                            std::span<float> workspace, ThreadPool& thread_pool);
// Without the gradient of the bias.
void winograd_backward_weights(const ConvShape& shape, std::span<const float> x,
                               std::span<const float> dy, std::span<float> dw,
                               std::span<float> workspace, ThreadPool& thread_pool);

}  // namespace nsop::kernels
