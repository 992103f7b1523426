#include "kernels/conv_weights.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/conv_band.h"
#include "kernels/gemm_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv_weights.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm_tile-inl.h"
#include "kernels/transpose-inl.h"

#ifndef NSOP_KERNELS_CONV_WEIGHTS_TYPES_
#define NSOP_KERNELS_CONV_WEIGHTS_TYPES_
namespace nsop::kernels {

// Lines of one block of pixels: output line i begins at dy[a[i]], the input under its first tap at
// x[b[i]].
struct PixelBlock {
  static constexpr size_t kMostLines = 128;
  size_t lines = 0;
  size_t width = 0;  // pixels of each line
  std::array<size_t, kMostLines> a;
  std::array<size_t, kMostLines> b;
};

// sums[row][column] += sum over the pixels of a block of dy[row][pixel] x[pixel][column].
struct BlockProducts {
  const PixelBlock& block;
  const float* dy;
  size_t dy_row;  // floats from one row of dy to the next
  const float* x;
  size_t x_pixel;  // floats from one pixel of the output to the next
  size_t columns;  // whole vectors of any target
  float* sums;
  size_t sums_row;
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <size_t kRows, size_t kVectors>
void add_block_tile(const BlockProducts& p, size_t row, size_t column) {
  TileTarget target;
  target.columns = kVectors * kLanes;
  Tile<kRows, kVectors, false> tile(target);
  const float* dy = p.dy + row * p.dy_row;
  const float* x = p.x + column;
  for (size_t i = 0; i < p.block.lines; ++i) {
    tile.template multiply<true>(p.block.width, dy + p.block.a[i], p.dy_row, x + p.block.b[i],
                                 p.x_pixel);
  }
  float* sums = p.sums + row * p.sums_row + column;
  tile.add_rows(sums, p.sums_row);
  tile.store(sums, p.sums_row);
}

using AddBlockTile = void (*)(const BlockProducts& p, size_t row, size_t column);

template <size_t kVectors, size_t... kRow>
constexpr std::array<AddBlockTile, kMostTileRows> block_tiles(std::index_sequence<kRow...>) {
  return {{add_block_tile<kRow + 1, kVectors>...}};
}

template <size_t... kVector>
constexpr std::array<std::array<AddBlockTile, kMostTileRows>, kTileVectors> all_block_tiles(
    std::index_sequence<kVector...>) {
  return {{block_tiles<kVector + 1>(std::make_index_sequence<tile_rows(kVector + 1)>())...}};
}

// Rows [0, rows) of sums, all columns. The columns of x that a tile reads stay in L1 while the rows
// of dy pass.
void add_block(const BlockProducts& p, size_t rows) {
  static constexpr auto kTiles = all_block_tiles(std::make_index_sequence<kTileVectors>());
  const EvenParts parts(p.columns / kLanes, kTileVectors);
  size_t column = 0;
  for (uint32_t part = 0; part < parts.count; ++part) {
    const size_t vectors = parts[part];
    const EvenParts tiles(rows, tile_rows(vectors));
    size_t row = 0;
    for (uint32_t tile = 0; tile < tiles.count; ++tile) {
      kTiles[vectors - 1][tiles[tile] - 1](p, row, column);
      row += tiles[tile];
    }
    column += vectors * kLanes;
  }
}

void transpose_line(const float* src, size_t ld, size_t rows, size_t columns, float* dst) {
  transpose(src, ld, rows, columns, dst, rows);
}

void transpose_taps(const float* src, size_t taps, size_t channels, float* dst, size_t dst_row) {
  transpose(src, channels, taps, channels, dst, dst_row);
}

void weights_tile_size(size_t* rows, size_t* columns) {
  *rows = kTileRows;
  *columns = kTileColumns;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

HWY_EXPORT(add_block);
HWY_EXPORT(transpose_line);
HWY_EXPORT(transpose_taps);
HWY_EXPORT(weights_tile_size);

constexpr size_t kBlockPixels = 128;               // dy and x of a tile stay in L1
constexpr size_t kBandFloats = size_t{256} << 10;  // of rearranged input: half of an L2 cache

// The rearranged input of one group: [images][slices][rows][columns][channels], columns with their
// padding.
struct ChannelsLast {
  const ConvShape& s;
  ConvAxes axes;
  size_t columns;
  size_t line;  // floats
  size_t taps;  // of a row of the kernel that are done at once
  size_t row;   // floats of one row of sums, whole vectors

  explicit ChannelsLast(const ConvShape& shape)
      : s(shape),
        axes(input_axes(s)),
        columns(positions(axes[2], axes[2].out)),
        line(columns * s.group_in()),
        taps(s.width().dilation == 1 ? s.width().kernel : 1),
        row(aligned_floats(taps * s.group_in())) {}

  size_t steps() const { return s.taps() / taps; }  // rows of the kernel, or its taps one by one
  size_t sums_row() const { return steps() * row; }
  size_t sums_floats() const { return s.group_out() * sums_row(); }
  Bands bands() const { return {axes, s.batch, line, kBandFloats}; }
  // That hold the input of any band, and what a vector reads beyond it.
  size_t input_floats() const {
    const Bands b = bands();
    return b.images * positions(axes[0], b.slices) * positions(axes[1], b.rows) * line + row;
  }
};

// One band: its input rearranged in `floats`, and products with it.
class BandProducts {
 public:
  BandProducts(const ChannelsLast& layout, const Band& band, float* floats)
      : l_(layout),
        band_(band),
        slices_(inputs_of(layout.axes[0], band.slices)),
        rows_(inputs_of(layout.axes[1], band.rows)),
        floats_(floats) {}

  size_t lines() const { return band_.images.size() * slices_.size() * rows_.size(); }

  // Line i of the band's input. x: of the group in the first image.
  void rearrange(const float* x, size_t i) const {
    const ConvShape& s = l_.s;
    const ConvAxis& width = s.width();
    const size_t row = rows_.begin + i % rows_.size();
    const size_t slice = slices_.begin + i / rows_.size() % slices_.size();
    const size_t image = band_.images.begin + i / (rows_.size() * slices_.size());
    const float* from =
        x + image * s.in_channels * s.in_pixels() + (slice * s.height().in + row) * width.in;
    float* to = floats_ + i * l_.line;
    const size_t channels = s.group_in();
    const size_t begin = std::min(width.pad, l_.columns);
    const size_t end = std::min(width.pad + width.in, l_.columns);
    std::fill_n(to, begin * channels, 0.0f);
    HWY_DYNAMIC_DISPATCH(transpose_line)
    (from, s.in_pixels(), channels, end - begin, to + begin * channels);
    std::fill_n(to + end * channels, (l_.columns - end) * channels, 0.0f);
  }

  // Rows `outs` of sums of one step. dy: of the group in the first image.
  void multiply(const float* dy, size_t step, Range outs, float* sums) const {
    const ConvShape& s = l_.s;
    const size_t column_step = s.width().kernel / l_.taps;
    const size_t tap = step % column_step;
    const size_t row_tap = step / column_step % s.height().kernel;
    const size_t slice_tap = step / column_step / s.height().kernel;
    PixelBlock block;
    const auto flush = [&] {
      if (block.lines == 0) return;
      const BlockProducts products{block,
                                   dy + outs.begin * s.out_pixels(),
                                   s.out_pixels(),
                                   floats_ + tap * s.width().dilation * s.group_in(),
                                   s.width().stride * s.group_in(),
                                   l_.row,
                                   sums + outs.begin * l_.sums_row() + step * l_.row,
                                   l_.sums_row()};
      HWY_DYNAMIC_DISPATCH(add_block)(products, outs.size());
      block.lines = 0;
    };
    const Range slices = outputs_inside(l_.axes[0], slice_tap, band_.slices);
    const Range rows = outputs_inside(l_.axes[1], row_tap, band_.rows);
    const EvenParts pieces(s.width().out(), kBlockPixels + kBlockPixels / 2);
    for (size_t image = band_.images.begin; image < band_.images.end; ++image) {
      for (size_t d = slices.begin; d < slices.end; ++d) {
        for (size_t h = rows.begin; h < rows.end; ++h) {
          size_t at = 0;
          for (uint32_t piece = 0; piece < pieces.count; at += pieces[piece], ++piece) {
            if (block.lines > 0 && block.width != pieces[piece]) flush();
            block.width = pieces[piece];
            block.a[block.lines] = image * s.out_channels * s.out_pixels() +
                                   (d * s.height().out() + h) * s.width().out() + at;
            block.b[block.lines] = input_line(image, d, slice_tap, h, row_tap) * l_.line +
                                   at * s.width().stride * s.group_in();
            ++block.lines;
            const bool full = (block.lines + 1) * block.width > kBlockPixels;
            if (full || block.lines == PixelBlock::kMostLines) flush();
          }
        }
      }
    }
    flush();
  }

 private:
  // The line of the band's input under a tap of an output line; it is inside.
  size_t input_line(size_t image, size_t d, size_t slice_tap, size_t h, size_t row_tap) const {
    const auto at = [](const ConvAxis& axis, size_t out, size_t tap, size_t first) {
      return out * axis.stride + tap * axis.dilation - axis.pad - first;
    };
    const size_t slice = at(l_.s.depth(), d, slice_tap, slices_.begin);
    const size_t row = at(l_.s.height(), h, row_tap, rows_.begin);
    return ((image - band_.images.begin) * slices_.size() + slice) * rows_.size() + row;
  }

  const ChannelsLast& l_;
  const Band& band_;
  Range slices_, rows_;  // of the input
  float* floats_;
};

// dw [outs][channels][taps] from sums [outs][steps][row].
void finish_rows(const ChannelsLast& l, const float* sums, Range outs, float* dw) {
  const ConvShape& s = l.s;
  const bool gapless = l.row == l.taps * s.group_in();
  const size_t taps = gapless ? s.taps() : l.taps;  // transposed at once
  for (size_t o = outs.begin; o < outs.end; ++o) {
    const float* from = sums + o * l.sums_row();
    float* to = dw + o * s.patch();
    for (size_t tap = 0; tap < s.taps(); tap += taps, from += l.row, to += taps) {
      HWY_DYNAMIC_DISPATCH(transpose_taps)(from, taps, s.group_in(), to, s.taps());
    }
  }
}

// x, dy and dw of one group, x and dy in the first image.
void group_weights(const ConvShape& s, const float* x, const float* dy, float* dw, float* workspace,
                   Pool& pool) {
  const ChannelsLast l(s);
  const Bands bands = l.bands();
  float* sums = workspace;
  float* floats = workspace + l.sums_floats();
  const auto threads = static_cast<size_t>(pool.threads());
  const auto share = [&](size_t items, auto&& work) {
    pool.parallel(pool.threads(), [&](int part, int) {
      const Range range = split_range(items, 1, threads, static_cast<size_t>(part));
      if (range.size() > 0) work(range);
    });
  };
  share(s.group_out(), [&](Range outs) {
    std::fill_n(sums + outs.begin * l.sums_row(), outs.size() * l.sums_row(), 0.0f);
  });
  const size_t count = bands.count(l.axes, s.batch);
  for (size_t i = 0; i < count; ++i) {
    const Band band = bands.band(l.axes, s.batch, i);
    const BandProducts products(l, band, floats);
    share(products.lines(), [&](Range lines) {
      for (size_t line = lines.begin; line < lines.end; ++line) products.rearrange(x, line);
    });
    share(s.group_out(), [&](Range outs) {
      for (size_t step = 0; step < l.steps(); ++step) products.multiply(dy, step, outs, sums);
    });
  }
  share(s.group_out(), [&](Range outs) { finish_rows(l, sums, outs, dw); });
}

size_t group_floats(const ConvShape& s) {
  const ChannelsLast l(s);
  return l.sums_floats() + aligned_floats(l.input_floats());
}

}  // namespace

bool channel_weights_pays(const ConvShape& s) {
  const ChannelsLast l(s);
  return !s.mean && s.taps() > 1 && 4 * l.taps * s.group_in() >= 3 * l.row;
}

size_t channel_weights_floats(const ConvShape& s, int threads) {
  const auto count = static_cast<size_t>(threads);
  return group_floats(s) * (s.groups >= count ? count : 1);
}

void channel_weights(const ConvShape& s, In x, In dy, Out dw, Out workspace, Pool& pool) {
  const auto threads = static_cast<size_t>(pool.threads());
  const size_t own = group_floats(s);
  assert(workspace.size() >= own);
  const auto run = [&](size_t group, float* floats, Pool& group_pool) {
    group_weights(s, x.data() + group * s.group_in() * s.in_pixels(),
                  dy.data() + group * s.group_out() * s.out_pixels(),
                  dw.data() + group * s.group_out() * s.patch(), floats, group_pool);
  };
  if (threads > 1 && s.groups >= threads) {
    pool.parallel(static_cast<int>(s.groups), [&](int group, int thread) {
      run(static_cast<size_t>(group), workspace.data() + static_cast<size_t>(thread) * own,
          serial_pool());
    });
  } else {
    for (size_t group = 0; group < s.groups; ++group) run(group, workspace.data(), pool);
  }
}

std::string channel_weights_algorithm() {
  size_t rows = 0;
  size_t columns = 0;
  HWY_DYNAMIC_DISPATCH(weights_tile_size)(&rows, &columns);
  return "channels last " + std::to_string(rows) + "x" + std::to_string(columns);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
