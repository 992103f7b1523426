#include "kernels/conv_lines.h"

#include <algorithm>
#include <cassert>

#include "kernels/conv_lines_tiles.h"
#include "kernels/patches.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// The parts of a pass: images, groups, and unless an average needs all of them, bands; if these are
// fewer than the threads, some rows of weights each.
struct LineParts {
  size_t bands;   // that are parts of their own
  size_t splits;  // of the rows

  LineParts(const LineLayer& l, size_t threads) : bands(1), splits(1) {
    if (!l.mean) bands = l.bands().count(l.axes, 1);
    const size_t units = l.batch * l.groups * bands;
    if (units < threads) splits = std::min(l.outs, (threads + units - 1) / units);
  }
  size_t count(const LineLayer& l) const { return l.batch * l.groups * bands * splits; }
};

struct LineBuffers {
  size_t x, tiles, offsets, sums;  // floats

  explicit LineBuffers(const LineLayer& l) {
    const Bands bands = l.bands();
    const auto floats = [](size_t bytes) { return aligned_floats(bytes / sizeof(float)); };
    x = aligned_floats(l.channels * LinePlane(l, bands.slices, bands.rows).floats + 16);
    tiles = floats(most_pixel_tiles(l) * sizeof(PixelTile));
    offsets = floats(l.channels * l.taps() * sizeof(uint32_t));
    sums = l.mean ? l.outs * kRowSumLanes : 0;
  }
  size_t all() const { return x + tiles + offsets + sums; }
};

// One part. x, w, bias and y of all images and groups.
void run_part(const LineLayer& l, const LineParts& parts, size_t part, In x, const float* w,
              In bias, Out y, float* workspace) {
  const LineBuffers buffers(l);
  float* copy = workspace;
  auto* tiles = reinterpret_cast<PixelTile*>(workspace + buffers.x);
  auto* offsets = reinterpret_cast<uint32_t*>(workspace + buffers.x + buffers.tiles);
  float* sums = workspace + buffers.x + buffers.tiles + buffers.offsets;
  const Range rows = split_range(l.outs, 1, parts.splits, part % parts.splits);
  const size_t band_part = part / parts.splits % parts.bands;
  const size_t unit = part / parts.splits / parts.bands;  // image and group
  const size_t group = unit % l.groups;
  const size_t first_out = group * l.outs + rows.begin;
  const Bands bands = l.bands();
  const size_t count = bands.count(l.axes, 1);
  if (l.mean) std::fill_n(sums, rows.size() * kRowSumLanes, 0.0f);
  for (size_t i = band_part; i < (l.mean ? count : band_part + 1); ++i) {
    const Band band = bands.band(l.axes, 1, i);
    const LinePlane plane(l, band.slices.size(), band.rows.size());
    make_line_offsets(l, plane, offsets);
    copy_lines(l, band, plane, x.data() + unit * l.channels * l.in_pixels(), copy);
    const LineTarget target = line_target();
    const size_t tile_count =
        make_pixel_tiles(l, band, target.lanes, target.columns / target.lanes, tiles);
    LineProducts products{.layer = l,
                          .tiles = tiles,
                          .tile_count = tile_count,
                          .x = copy,
                          .offsets = offsets,
                          .w = nullptr,
                          .bias = nullptr,
                          .y = sums,
                          .rows = rows.size()};
    products.w = w + first_out * l.channels * l.taps();
    if (l.mean) {
      sum_lines(products);
      continue;
    }
    if (!bias.empty()) products.bias = bias.data() + first_out;
    products.y = y.data() + (unit * l.outs + rows.begin) * l.out_pixels();
    multiply_lines(products);
  }
  if (!l.mean) return;
  const Out means = y.subspan(unit * l.outs + rows.begin, rows.size());
  add_row_sums(In(sums, rows.size() * kRowSumLanes), kRowSumLanes, false, means);
  for (size_t o = 0; o < rows.size(); ++o) {
    const float mean = means[o] / static_cast<float>(l.out_pixels());
    means[o] = mean + (bias.empty() ? 0.0f : bias[first_out + o]);
  }
}

void run(const LineLayer& l, In x, const float* w, In bias, Out y, Out workspace, Pool& pool) {
  const LineParts parts(l, static_cast<size_t>(pool.threads()));
  const size_t own = LineBuffers(l).all();
  assert(workspace.size() >= own * static_cast<size_t>(pool.threads()));
  pool.parallel(static_cast<int>(parts.count(l)), [&](int part, int thread) {
    run_part(l, parts, static_cast<size_t>(part), x, w, bias, y,
             workspace.data() + static_cast<size_t>(thread) * own);
  });
}

bool pays(const LineLayer& l) {
  const size_t lanes = line_target().lanes;
  return l.taps() > 1 && fills_vectors(l.axes[2].out, lanes) && (l.outs > 1 || lanes < 16);
}

// flipped[group][in channel][out channel][tap] = w[group][out channel][in channel][taps - 1 - tap]
void flip_weights(const ConvShape& s, In w, Range channels, float* flipped) {
  const size_t taps = s.taps();
  for (size_t c = channels.begin; c < channels.end; ++c) {
    const size_t group = c / s.group_in();
    float* to = flipped + c * s.group_out() * taps;
    for (size_t o = 0; o < s.group_out(); ++o, to += taps) {
      const float* from =
          w.data() + (group * s.group_out() + o) * s.patch() + c % s.group_in() * taps;
      std::reverse_copy(from, from + taps, to);
    }
  }
}

}  // namespace

bool lines_pay_forward(const ConvShape& s) { return pays(forward_lines(s)); }

bool lines_pay_data(const ConvShape& s) {
  return s.all_axes([](const ConvAxis& a) { return a.stride == 1; }) && !s.mean &&
         pays(gradient_lines(s));
}

size_t lines_workspace_floats(const ConvShape& s, int threads) {
  const size_t own =
      std::max(LineBuffers(forward_lines(s)).all(), LineBuffers(gradient_lines(s)).all());
  return static_cast<size_t>(threads) * own + aligned_floats(s.out_channels * s.patch());
}

void lines_forward(const ConvShape& s, In x, In w, In bias, Out y, Out workspace, Pool& pool) {
  run(forward_lines(s), x, w.data(), bias, y, workspace, pool);
}

void lines_backward_data(const ConvShape& s, In w, In dy, Out dx, Out workspace, Pool& pool) {
  float* flipped = workspace.data();
  const auto threads = static_cast<size_t>(pool.threads());
  pool.parallel(pool.threads(), [&](int part, int) {
    flip_weights(s, w, split_range(s.in_channels, 1, threads, static_cast<size_t>(part)), flipped);
  });
  run(gradient_lines(s), dy, flipped, {}, dx,
      workspace.subspan(aligned_floats(s.out_channels * s.patch())), pool);
}

std::string lines_algorithm() {
  const LineTarget target = line_target();
  return "padded lines " + std::to_string(target.rows) + "x" + std::to_string(target.columns);
}

}  // namespace nsop::kernels
