// The axes of a convolution as its passes see them, and bands: the parts of an output whose input
// is rearranged and kept in cache at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/conv/shape/patches.h"
#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

using ConvAxes = std::array<PatchAxis, 3>;  // depth, height, width

// From x to y.
inline ConvAxes input_axes(const ConvShape& s) {
  ConvAxes axes;
  for (size_t i = 0; i < 3; ++i) {
    const ConvAxis& a = s.axes[i];
    axes[i] = {a.in, a.out(), a.kernel, a.stride, a.dilation, static_cast<ptrdiff_t>(a.pad)};
  }
  return axes;
}

// From dy to dx for stride 1, with the kernel flipped.
inline ConvAxes gradient_axes(const ConvShape& s) {
  ConvAxes axes;
  for (size_t i = 0; i < 3; ++i) {
    const ConvAxis& a = s.axes[i];
    const auto pad = static_cast<ptrdiff_t>(a.extent() - 1) - static_cast<ptrdiff_t>(a.pad);
    axes[i] = {a.out(), a.in, a.kernel, 1, a.dilation, pad};
  }
  return axes;
}

inline size_t extent(const PatchAxis& axis) { return axis.dilation * (axis.kernel - 1) + 1; }

// Positions that `outputs` neighbouring outputs read, the padding included.
inline size_t positions(const PatchAxis& axis, size_t outputs) {
  return (outputs - 1) * axis.stride + extent(axis);
}

// The inputs that outputs `out` (not none) of an axis read.
inline Range inputs_of(const PatchAxis& axis, Range out) {
  const auto clamp = [&axis](ptrdiff_t at) {
    return static_cast<size_t>(std::clamp<ptrdiff_t>(at, 0, static_cast<ptrdiff_t>(axis.in)));
  };
  const auto begin = static_cast<ptrdiff_t>(out.begin * axis.stride) - axis.pad;
  return {clamp(begin), clamp(begin + static_cast<ptrdiff_t>(positions(axis, out.size())))};
}

// The outputs of `out` for which a tap lies inside the image.
inline Range outputs_inside(const PatchAxis& axis, size_t tap, Range out) {
  const ptrdiff_t shift = static_cast<ptrdiff_t>(tap * axis.dilation) - axis.pad;
  const auto stride = static_cast<ptrdiff_t>(axis.stride);
  // Of outputs o, those with o * stride + shift >= bound.
  const auto from = [&](ptrdiff_t bound) {
    const ptrdiff_t first = bound <= shift ? 0 : (bound - shift + stride - 1) / stride;
    return std::clamp(static_cast<size_t>(first), out.begin, out.end);
  };
  return {from(0), from(static_cast<ptrdiff_t>(axis.in))};
}

// Some lines of output: of whole images, or of some slices or rows of one image.
struct Band {
  Range images, slices, rows;
};

// The sizes of bands, none larger than these.
struct Bands {
  size_t images = 1;
  size_t slices = 1;
  size_t rows = 1;

  // As large as possible with at most `budget` floats of input of `line` floats for each line; a
  // single row may have more. An axis counts positions, those in the padding included.
  Bands(const ConvAxes& axes, size_t batch, size_t line, size_t budget) {
    const auto& [depth, height, width] = axes;
    const auto most = [](const PatchAxis& axis, size_t inputs) {
      if (inputs < extent(axis)) return size_t{0};
      return std::min(axis.out, (inputs - extent(axis)) / axis.stride + 1);
    };
    slices = depth.out;
    rows = height.out;
    const size_t slice = positions(height, rows) * line;
    images = std::min(batch, budget / (positions(depth, slices) * slice));
    if (images > 0) return;
    images = 1;
    slices = most(depth, budget / slice);
    if (slices > 0) return;
    slices = 1;
    rows = std::max<size_t>(1, most(height, budget / (extent(depth) * line)));
  }

  size_t count(const ConvAxes& axes, size_t batch) const {
    return parts(batch, images) * parts(axes[0].out, slices) * parts(axes[1].out, rows);
  }
  Band band(const ConvAxes& axes, size_t batch, size_t i) const {
    // Without the divisions: for small images they take as long as products.
    const bool whole = slices == axes[0].out && rows == axes[1].out;
    if (whole && images == 1) return {{i, i + 1}, {0, slices}, {0, rows}};
    const size_t of_rows = parts(axes[1].out, rows);
    const size_t of_slices = parts(axes[0].out, slices);
    return {part(batch, images, i / of_rows / of_slices),
            part(axes[0].out, slices, i / of_rows % of_slices),
            part(axes[1].out, rows, i % of_rows)};
  }

 private:
  static size_t parts(size_t items, size_t most) { return (items + most - 1) / most; }
  static Range part(size_t items, size_t most, size_t i) {
    return split_range(items, 1, parts(items, most), i);
  }
};

}  // namespace nsop::kernels
