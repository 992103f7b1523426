// The gradient of a convolution's weights without patches: products of dy's rows with an input
// whose channels lie next to each other, so that neighbouring taps of a row of the kernel are
// neighbouring columns. Its rows are declared in rows.h.
#include <algorithm>
#include <cassert>

#include "kernels/conv/shape/band.h"
#include "kernels/conv/ways/rows.h"
#include "kernels/conv/ways/weights_tiles.h"
#include "kernels/gemm/plan.h"

namespace nsop::kernels {
namespace {

using Out = std::span<float>;

constexpr size_t kBlockPixels = 128;               // dy and x of a tile stay in L1
constexpr size_t kSharedRows = 4;                  // of sums: half a tile of AVX3
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
    transpose_line(from, s.in_pixels(), channels, end - begin, to + begin * channels);
    std::fill_n(to + end * channels, (l_.columns - end) * channels, 0.0f);
  }

  // Sets rows `outs` of sums of one step to 0.
  void clear(size_t step, Range outs, float* sums) const {
    for (size_t o = outs.begin; o < outs.end; ++o) {
      std::fill_n(sums + o * l_.sums_row() + step * l_.row, l_.row, 0.0f);
    }
  }

  // Adds to rows `outs` of sums of one step. dy: of the group in the first image.
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
      add_block(products, outs.size());
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
      transpose_taps(from, taps, s.group_in(), to, s.taps());
    }
  }
}

// One group: x, dy and dw, x and dy in the first image.
struct GroupWeights {
  const ConvShape& s;
  const float* x;
  const float* dy;
  float* dw;
  float* workspace;  // of every thread
  size_t own;        // floats of it: sums, then input

  float* sums(size_t part) const { return workspace + part * own; }
};

// Calls work on ranges of [0, items) whose borders are multiples of `granule`, one per thread.
template <class Work>
void share(size_t items, size_t granule, ThreadPool& thread_pool, Work&& work) {
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const auto parts = static_cast<size_t>(thread_pool.threads());
    const Range range = split_range(items, granule, parts, static_cast<size_t>(part));
    if (range.size() > 0) work(range);
  });
}

// The sums of some images, on this thread.
void add_images(const GroupWeights& g, Range images, float* sums) {
  ConvShape s = g.s;
  s.batch = images.size();
  const ChannelsLast l(s);
  std::fill_n(sums, l.sums_floats(), 0.0f);
  const float* x = g.x + images.begin * s.in_channels * s.in_pixels();
  const float* dy = g.dy + images.begin * s.out_channels * s.out_pixels();
  const Bands bands = l.bands();
  const size_t count = bands.count(l.axes, s.batch);
  for (size_t i = 0; i < count; ++i) {
    const Band band = bands.band(l.axes, s.batch, i);
    const BandProducts products(l, band, sums + l.sums_floats());
    for (size_t line = 0; line < products.lines(); ++line) products.rearrange(x, line);
    for (size_t step = 0; step < l.steps(); ++step) {
      products.multiply(dy, step, {0, s.group_out()}, sums);
    }
  }
}

// Each thread sums its images, in input that it alone rearranges; then the sums are added.
void weights_by_images(const GroupWeights& g, ThreadPool& thread_pool) {
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const ChannelsLast l(g.s);
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const auto i = static_cast<size_t>(part);
    add_images(g, split_range(g.s.batch, 1, threads, i), g.sums(i));
  });
  share(g.s.group_out(), 1, thread_pool, [&](Range outs) {
    const size_t begin = outs.begin * l.sums_row();
    for (size_t part = 1; part < threads; ++part) {
      add_sums(g.sums(part) + begin, outs.size() * l.sums_row(), g.sums(0) + begin);
    }
    finish_rows(l, g.sums(0), outs, g.dw);
  });
}

// Too few images to share: the input is rearranged by all, the rows of sums are shared out, and
// every sum is the same however many threads there are.
void weights_by_rows(const GroupWeights& g, ThreadPool& thread_pool) {
  const ConvShape& s = g.s;
  const ChannelsLast l(s);
  const Bands bands = l.bands();
  float* sums = g.sums(0);
  const size_t count = bands.count(l.axes, s.batch);
  for (size_t i = 0; i < count; ++i) {
    const Band band = bands.band(l.axes, s.batch, i);
    const BandProducts products(l, band, sums + l.sums_floats());
    share(products.lines(), 1, thread_pool, [&](Range lines) {
      for (size_t line = lines.begin; line < lines.end; ++line) products.rearrange(g.x, line);
    });
    share(l.steps() * s.group_out(), kSharedRows, thread_pool, [&](Range rows) {
      for (size_t row = rows.begin, end = 0; row < rows.end; row = end) {
        const size_t step = row / s.group_out();
        const size_t first = step * s.group_out();
        end = std::min(rows.end, first + s.group_out());
        if (i == 0) products.clear(step, {row - first, end - first}, sums);
        products.multiply(g.dy, step, {row - first, end - first}, sums);
      }
    });
  }
  share(s.group_out(), 1, thread_pool, [&](Range outs) { finish_rows(l, sums, outs, g.dw); });
}

void group_weights(const GroupWeights& g, ThreadPool& thread_pool) {
  const auto threads = static_cast<size_t>(thread_pool.threads());
  if (g.s.batch >= threads) {
    weights_by_images(g, thread_pool);
  } else {
    weights_by_rows(g, thread_pool);
  }
}

size_t group_floats(const ConvShape& s) {
  const ChannelsLast l(s);
  return l.sums_floats() + aligned_floats(l.input_floats());
}

// The output isn't averaged, there are taps to share the rearranged input, and a row of the kernel
// over all channels of a group fills vectors of 16 floats by three quarters.
bool channel_weights_pays(const ConvShape& s) {
  const ChannelsLast l(s);
  return !s.mean && s.taps() > 1 && 4 * l.taps * s.group_in() >= 3 * l.row;
}

size_t channel_weights_floats(const ConvShape& s, int threads) {
  return group_floats(s) * static_cast<size_t>(threads);
}

// The order of its sums depends on the number of threads: each sums its images, where there are
// enough of them.
void channel_weights(const ConvShape& s, const ConvTensors& t, Out workspace,
                     ThreadPool& thread_pool) {
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const size_t own = group_floats(s);
  assert(workspace.size() >= own * threads);
  const auto run = [&](size_t group, float* floats, ThreadPool& group_threads) {
    group_weights({.s = s,
                   .x = t.x.data() + group * s.group_in() * s.in_pixels(),
                   .dy = t.dy.data() + group * s.group_out() * s.out_pixels(),
                   .dw = t.dw.data() + group * s.group_out() * s.patch(),
                   .workspace = floats,
                   .own = own},
                  group_threads);
  };
  if (threads > 1 && s.groups >= threads) {
    thread_pool.parallel(static_cast<int>(s.groups), [&](int group, int thread) {
      run(static_cast<size_t>(group), workspace.data() + static_cast<size_t>(thread) * own,
          serial_threads());
    });
  } else {
    for (size_t group = 0; group < s.groups; ++group) run(group, workspace.data(), thread_pool);
  }
}

std::string channel_weights_algorithm(const ConvShape& /*shape*/) {
  const WeightsTile tile = weights_tile();
  return "channels last " + std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
}

}  // namespace

constinit const ConvWay kChannelWeights = {.name = "channels last",
                                           .pass = ConvPass::kWeights,
                                           .pays = channel_weights_pays,
                                           .floats = channel_weights_floats,
                                           .run = channel_weights,
                                           .describe = channel_weights_algorithm};

}  // namespace nsop::kernels
