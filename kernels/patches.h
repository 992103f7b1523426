// The patches of an image under a sliding kernel, as a matrix that is never stored: row (c, kh, kw)
// and column (oh, ow) hold image[c][oh * stride + kh * dilation - pad][ow * stride + kw * dilation
// - pad], 0 outside the image.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/gemm.h"

namespace nsop::kernels {

struct Patches {
  const float* image = nullptr;  // [channels, height, width]
  size_t height = 0;
  size_t width = 0;
  size_t out_width = 0;
  size_t kernel = 0;
  size_t stride = 1;
  size_t dilation = 1;
  ptrdiff_t pad = 0;     // may be negative
  size_t first_row = 0;  // transposed_patch_source: the patch row that is B's column 0
};

// B = the matrix [channels * kernel^2, pixels]. `patches` must outlive the source.
PanelSource patch_source(const Patches& patches);

// B = its transpose [pixels, channels * kernel^2], from row first_row on.
PanelSource transposed_patch_source(const Patches& patches);

// The adjoint: image[c][..] += columns[(c, kh, kw)][(oh, ow)] where inside the image. `image` is
// [channels, height, width], `columns` [channels * kernel^2, out_height * out_width];
// patches.image isn't used.
void add_patches(const Patches& patches, size_t channels, size_t out_height, const float* columns,
                 float* image);

// sums[r] = the sum of the `columns` floats of row r, plus sums[r] if `accumulate`.
void add_row_sums(std::span<const float> rows, size_t columns, bool accumulate,
                  std::span<float> sums);

}  // namespace nsop::kernels
