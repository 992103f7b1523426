// The patches of an image under a sliding kernel, as a matrix that is never stored: row (c, tap)
// and column `pixel` hold image[c][..] at pixel * stride + tap * dilation - pad on each of the
// three axes, 0 outside the image.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kernels/gemm/gemm.h"

namespace nsop::kernels {

struct PatchAxis {
  size_t in = 1;
  size_t out = 1;
  size_t kernel = 1;
  size_t stride = 1;
  size_t dilation = 1;
  ptrdiff_t pad = 0;  // may be negative
};

struct Patches {
  const float* image = nullptr;  // [channels, depth, height, width]
  std::array<PatchAxis, 3> axes;
  size_t first_row = 0;  // transposed_patch_source: the patch row that is B's column 0

  size_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  size_t plane() const { return axes[0].in * axes[1].in * axes[2].in; }
  size_t lines() const { return axes[0].out * axes[1].out; }  // rows of output pixels
};

// B = the matrix [channels * taps, pixels]. `patches` must outlive the source.
PanelSource patch_source(const Patches& patches);

// B = its transpose [pixels, channels * taps], from row first_row on.
PanelSource transposed_patch_source(const Patches& patches);

// The adjoint: image[c][..] += columns[(c, kh, kw)][(oh, ow)] where inside the image. `image` is
// [channels, depth, height, width], `columns` [channels * taps, pixels]; patches.image isn't used.
void add_patches(const Patches& patches, size_t channels, const float* columns, float* image);

// sums[r] = the sum of the `columns` floats of row r, plus sums[r] if `accumulate`.
void add_row_sums(std::span<const float> rows, size_t columns, bool accumulate,
                  std::span<float> sums);

// Adds a value to each element.
void add_constant(float value, std::span<float> to);

}  // namespace nsop::kernels
