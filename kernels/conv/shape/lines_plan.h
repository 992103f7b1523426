// The sizes of a convolution by padded lines, and its division into register tiles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/conv/shape/band.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {

constexpr size_t kLineBudget = size_t{128} << 10;  // floats of copied input: a quarter of an L2
constexpr size_t kLineTileVectors = 4;             // of the widest tile of any target

// A pass as a convolution of [batch, groups * channels, ...] to [batch, groups * outs, ...] with
// weights [groups][outs][channels][taps].
struct LineLayer {
  ConvAxes axes;
  size_t batch = 1;
  size_t groups = 1;
  size_t channels = 1;  // of a group
  size_t outs = 1;      // of a group
  bool mean = false;

  size_t plane_taps() const { return axes[1].kernel * axes[2].kernel; }
  size_t taps() const { return axes[0].kernel * plane_taps(); }
  size_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  size_t out_pixels() const { return axes[0].out * axes[1].out * axes[2].out; }

  // The copied input is [channels][slices][rows][phases][phase], a phase holding every stride-th
  // position of a line.
  size_t phase() const {
    const PatchAxis& width = axes[2];
    return aligned_floats(width.out) + (width.kernel - 1) * width.dilation / width.stride;
  }
  size_t line() const { return axes[2].stride * phase(); }
  Bands bands() const { return {axes, 1, channels * line(), kLineBudget}; }
};

inline LineLayer forward_lines(const ConvShape& s) {
  return {input_axes(s), s.batch, s.groups, s.group_in(), s.group_out(), s.mean};
}
inline LineLayer gradient_lines(const ConvShape& s) {
  return {gradient_axes(s), s.batch, s.groups, s.group_out(), s.group_in(), false};
}

// The input of a band, one channel.
struct LinePlane {
  size_t slices, rows;  // positions
  size_t line;
  size_t
      floats;  // from one channel to the next: no multiple of 1 KB, whose multiples share L1 sets

  LinePlane(const LineLayer& l, size_t out_slices, size_t out_rows)
      : slices(positions(l.axes[0], out_slices)),
        rows(positions(l.axes[1], out_rows)),
        line(l.line()),
        floats(slices * rows * line) {
    if (floats % 256 == 0) floats += 16;
  }
};

// Where the input under a tap of a channel lies, from that under the band's first output: offsets
// [channels][taps].
inline void make_line_offsets(const LineLayer& l, const LinePlane& plane, uint32_t* offsets) {
  const auto& [depth, height, width] = l.axes;
  const size_t phase = l.phase();
  const size_t step = width.dilation / width.stride;  // of columns in a phase, from tap to tap
  const size_t phase_step = width.dilation % width.stride;
  uint32_t* to = offsets;
  for (size_t c = 0; c < l.channels; ++c) {
    for (size_t kd = 0; kd < depth.kernel; ++kd) {
      for (size_t kh = 0; kh < height.kernel; ++kh) {
        size_t offset = c * plane.floats +
                        (kd * depth.dilation * plane.rows + kh * height.dilation) * plane.line;
        size_t phases = 0;
        for (size_t kw = 0; kw < width.kernel; ++kw) {
          *to++ = static_cast<uint32_t>(offset + phases * phase);
          offset += step;
          phases += phase_step;
          if (phases >= width.stride) {
            phases -= width.stride;
            ++offset;
          }
        }
      }
    }
  }
}

// Up to kLineTileVectors vectors of neighbouring outputs, and the taps that any of them needs.
struct PixelTile {
  uint32_t vectors = 0;
  std::array<uint32_t, kLineTileVectors> in;     // where they begin in a plane of the band's input
  std::array<uint32_t, kLineTileVectors> out;    // in a plane of the output
  std::array<uint32_t, kLineTileVectors> count;  // outputs of each
  Range slice_taps, row_taps;
};

// The taps of an axis that are inside the image for any of the outputs `out`.
inline Range taps_of(const PatchAxis& axis, Range out) {
  const auto clamp = [&axis](ptrdiff_t first) {
    const auto dilation = static_cast<ptrdiff_t>(axis.dilation);
    if (dilation > 1) first = first <= 0 ? 0 : (first + dilation - 1) / dilation;
    return static_cast<size_t>(
        std::clamp<ptrdiff_t>(first, 0, static_cast<ptrdiff_t>(axis.kernel)));
  };
  const auto last = static_cast<ptrdiff_t>((out.end - 1) * axis.stride);
  const auto first = static_cast<ptrdiff_t>(out.begin * axis.stride);
  const Range taps{clamp(axis.pad - last),
                   clamp(static_cast<ptrdiff_t>(axis.in) + axis.pad - first)};
  return taps.begin < taps.end ? taps : Range{};
}

inline Range joined(Range a, Range b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Do lines of `width` outputs fill vectors of `lanes` by three quarters?
inline bool fills_vectors(size_t width, size_t lanes) {
  return 4 * width >= 3 * ((width + lanes - 1) / lanes * lanes);
}

inline size_t most_pixel_tiles(const LineLayer& l, const Bands& bands) {
  return bands.slices * bands.rows * l.axes[2].out + 1;  // a vector may have one lane
}

// Writes the tiles of a band, of at most `most` vectors of `lanes`, and returns their number. The
// vectors are shared out evenly: the first tiles may have one more.
inline size_t make_pixel_tiles(const LineLayer& l, const Band& band, size_t lanes, size_t most,
                               PixelTile* tiles) {
  const auto& [depth, height, width] = l.axes;
  const LinePlane plane(l, band.slices.size(), band.rows.size());
  const size_t per_line = (width.out + lanes - 1) / lanes;
  const size_t vectors = band.slices.size() * band.rows.size() * per_line;
  const size_t count = (vectors + most - 1) / most;
  const size_t larger = vectors % count;
  PixelTile* tile = tiles;
  tile->vectors = 0;
  for (size_t d = band.slices.begin; d < band.slices.end; ++d) {
    const Range slice_taps = taps_of(depth, {d, d + 1});
    for (size_t h = band.rows.begin; h < band.rows.end; ++h) {
      const Range row_taps = taps_of(height, {h, h + 1});
      const size_t in = ((d - band.slices.begin) * depth.stride * plane.rows +
                         (h - band.rows.begin) * height.stride) *
                        plane.line;
      const size_t out = (d * height.out + h) * width.out;
      for (size_t at = 0; at < width.out; at += lanes) {
        const size_t v = tile->vectors++;
        tile->in[v] = static_cast<uint32_t>(in + at);
        tile->out[v] = static_cast<uint32_t>(out + at);
        tile->count[v] = static_cast<uint32_t>(std::min(lanes, width.out - at));
        tile->slice_taps = v == 0 ? slice_taps : joined(tile->slice_taps, slice_taps);
        tile->row_taps = v == 0 ? row_taps : joined(tile->row_taps, row_taps);
        const size_t index = static_cast<size_t>(tile - tiles);
        if (tile->vectors == vectors / count + (index < larger ? 1 : 0)) (++tile)->vectors = 0;
      }
    }
  }
  return count;
}

}  // namespace nsop::kernels
