#include "kernels/conv/ways/lines.h"

#include <algorithm>
#include <cassert>

#include "kernels/conv/shape/patches.h"
#include "kernels/conv/ways/lines_tiles.h"
#include "kernels/conv/ways/planes.h"
#include "kernels/conv/ways/rows.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// A pass and what its threads need: computed once, for small images its
// divisions take as long as products.
struct LinePass {
  LineLayer layer;
  Bands bands;
  size_t band_count;
  size_t x, tiles, offsets, sums, packed;  // floats of each thread

  explicit LinePass(const LineLayer& l)
      : layer(l), bands(l.bands()), band_count(bands.count(l.axes, 1)) {
    const auto floats = [](size_t bytes) { return aligned_floats(bytes / sizeof(float)); };
    x = aligned_floats(l.channels * LinePlane(l, bands.slices, bands.rows).floats + 16);
    tiles = l.mean ? 0 : floats(most_pixel_tiles(l, bands) * sizeof(PixelTile));
    offsets = floats(l.channels * l.taps() * sizeof(uint32_t));
    sums = l.mean ? l.outs * kRowSumLanes : 0;
    packed = l.mean ? aligned_floats(kMostSumRows * l.channels * l.taps()) : 0;
  }
  size_t thread_floats() const { return x + tiles + offsets + sums + packed; }
};

// The parts of a pass: images, groups, and unless an average needs all of them,
// bands; if these are fewer than the threads, some rows of weights each.
struct LineParts {
  size_t units;   // bands that are parts of their own, of all images and groups
  size_t splits;  // of the rows

  LineParts(const LinePass& pass, size_t threads)
      : units(pass.layer.batch * pass.layer.groups * (pass.layer.mean ? 1 : pass.band_count)),
        splits(1) {
    if (units < threads) splits = std::min(pass.layer.outs, (threads + units - 1) / units);
  }
  size_t count() const { return units * splits; }
};

// The tensors of all images and groups.
struct LineTensors {
  In x;
  const float* w;
  In bias;
  Out y;
};

// The parts that one thread does, band by band: tiles are the same for all
// images and groups.
class LineWorker {
 public:
  LineWorker(const LinePass& pass, const LineParts& parts, const LineTensors& tensors,
             float* workspace)
      : pass_(pass), l_(pass.layer), parts_(parts), t_(tensors), copy_(workspace) {
    tiles_ = reinterpret_cast<PixelTile*>(workspace + pass.x);
    offsets_ = reinterpret_cast<uint32_t*>(workspace + pass.x + pass.tiles);
    sums_ = workspace + pass.x + pass.tiles + pass.offsets;
  }

  void run(size_t part) {
    const size_t units = l_.batch * l_.groups;
    const size_t unit = part / parts_.splits % units;  // image and group
    const Range rows = split_range(l_.outs, 1, parts_.splits, part % parts_.splits);
    if (!l_.mean) return multiply(part / parts_.splits / units, unit, rows);
    std::fill_n(sums_, rows.size() * kRowSumLanes, 0.0f);
    for (size_t band = 0; band < pass_.band_count; ++band) multiply(band, unit, rows);
    finish_means(unit, rows);
  }

 private:
  void prepare(size_t band) {
    if (band == prepared_) return;
    prepared_ = band;
    band_ = pass_.bands.band(l_.axes, 1, band);
    plane_ = LinePlane(l_, band_.slices.size(), band_.rows.size());
    make_line_offsets(l_, plane_, offsets_);
    if (l_.mean) return;
    const LineTarget target = line_target();
    tile_count_ = make_pixel_tiles(l_, band_, target.lanes, target.columns / target.lanes, tiles_);
  }

  void multiply(size_t band, size_t unit, Range rows) {
    prepare(band);
    copy_lines(l_, band_, plane_, t_.x.data() + unit * l_.channels * l_.in_pixels(), copy_);
    const size_t first = unit % l_.groups * l_.outs + rows.begin;
    const LineProducts products{
        .layer = l_,
        .band = band_,
        .plane = plane_,
        .x = copy_,
        .offsets = offsets_,
        .w = t_.w + first * l_.channels * l_.taps(),
        .bias = t_.bias.empty() || l_.mean ? nullptr : t_.bias.data() + first,
        .y = l_.mean ? sums_ : t_.y.data() + (unit * l_.outs + rows.begin) * l_.out_pixels(),
        .rows = rows.size(),
        .tiles = tiles_,
        .tile_count = tile_count_,
        .packed = sums_ + pass_.sums};
    (l_.mean ? sum_lines : multiply_lines)(products);
  }

  void finish_means(size_t unit, Range rows) const {
    const Out means = t_.y.subspan(unit * l_.outs + rows.begin, rows.size());
    add_row_sums(In(sums_, rows.size() * kRowSumLanes), kRowSumLanes, false, means);
    const size_t first = unit % l_.groups * l_.outs + rows.begin;
    for (size_t o = 0; o < rows.size(); ++o) {
      const float mean = means[o] / static_cast<float>(l_.out_pixels());
      means[o] = mean + (t_.bias.empty() ? 0.0f : t_.bias[first + o]);
    }
  }

  const LinePass& pass_;
  const LineLayer& l_;
  const LineParts& parts_;
  const LineTensors& t_;
  float* copy_;
  PixelTile* tiles_ = nullptr;
  uint32_t* offsets_ = nullptr;
  float* sums_ = nullptr;
  size_t prepared_ = SIZE_MAX;  // the band of the following
  Band band_;
  LinePlane plane_{l_, 1, 1};
  size_t tile_count_ = 0;
};

// flipped[group][in channel][out channel][tap] = w[group][out channel][in
// channel][taps - 1 - tap]
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

bool padded_pays(const LineLayer& l) { return fills_vectors(l.axes[2].out, line_target().lanes); }

size_t padded_floats(const LineLayer& l, int threads) {
  return static_cast<size_t>(threads) * LinePass(l).thread_floats();
}

void padded_layer(const LineLayer& l, In x, const float* w, In bias, Out y, Out workspace,
                  ThreadPool& thread_pool) {
  const LineTensors tensors{x, w, bias, y};
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const LinePass pass(l);
  const LineParts parts(pass, threads);
  const size_t own = pass.thread_floats();
  assert(workspace.size() >= own * threads);
  thread_pool.parallel(thread_pool.threads(), [&](int share, int) {
    const auto i = static_cast<size_t>(share);
    LineWorker worker(pass, parts, tensors, workspace.data() + i * own);
    const Range mine = split_range(parts.count(), 1, threads, i);
    for (size_t part = mine.begin; part < mine.end; ++part) worker.run(part);
  });
}

std::string padded_algorithm(const LineLayer& l) {
  const LineTarget target = line_target();
  const size_t rows = l.mean ? target.sum_rows : target.rows;
  const size_t columns = l.mean ? target.sum_columns : target.columns;
  return (l.mean ? "sums of padded lines " : "padded lines ") + std::to_string(rows) + "x" +
         std::to_string(columns);
}

}  // namespace

constinit const LineWay kPlaneLines = {
    .pays = planes_pay, .floats = planes_floats, .run = planes_layer, .describe = planes_algorithm};
constinit const LineWay kPaddedLines = {.pays = padded_pays,
                                        .floats = padded_floats,
                                        .run = padded_layer,
                                        .describe = padded_algorithm};

namespace {

// Of convolutions: there must be taps to share the copied input.

template <const LineWay& kWay>
bool forward_pays(const ConvShape& s) {
  return s.taps() > 1 && kWay.pays(forward_lines(s));
}

template <const LineWay& kWay>
size_t forward_floats(const ConvShape& s, int threads) {
  return kWay.floats(forward_lines(s), threads);
}

template <const LineWay& kWay>
void forward(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  kWay.run(forward_lines(s), t.x, t.w.data(), t.bias, t.y, workspace, thread_pool);
}

template <const LineWay& kWay>
std::string forward_algorithm(const ConvShape& s) {
  return kWay.describe(forward_lines(s));
}

// The gradient wants stride 1 and no average.
template <const LineWay& kWay>
bool data_pays(const ConvShape& s) {
  return s.all_axes([](const ConvAxis& a) { return a.stride == 1; }) && !s.mean && s.taps() > 1 &&
         kWay.pays(gradient_lines(s));
}

template <const LineWay& kWay>
size_t data_floats(const ConvShape& s, int threads) {
  return aligned_floats(s.w_floats()) + kWay.floats(gradient_lines(s), threads);
}

template <const LineWay& kWay>
void data(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  float* flipped = workspace.data();
  const auto threads = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const Range channels = split_range(s.in_channels, 1, threads, static_cast<size_t>(part));
    flip_weights(s, t.w, channels, flipped);
  });
  kWay.run(gradient_lines(s), t.dy, flipped, {}, t.dx,
           workspace.subspan(aligned_floats(s.w_floats())), thread_pool);
}

template <const LineWay& kWay>
std::string data_algorithm(const ConvShape& s) {
  return kWay.describe(gradient_lines(s));
}

}  // namespace

constinit const ConvWay kPlanesForward = {.name = "planes",
                                          .pass = ConvPass::kForward,
                                          .pays = forward_pays<kPlaneLines>,
                                          .floats = forward_floats<kPlaneLines>,
                                          .run = forward<kPlaneLines>,
                                          .describe = forward_algorithm<kPlaneLines>};
constinit const ConvWay kLinesForward = {.name = "lines",
                                         .pass = ConvPass::kForward,
                                         .pays = forward_pays<kPaddedLines>,
                                         .floats = forward_floats<kPaddedLines>,
                                         .run = forward<kPaddedLines>,
                                         .describe = forward_algorithm<kPaddedLines>};
constinit const ConvWay kPlanesData = {.name = "planes",
                                       .pass = ConvPass::kData,
                                       .pays = data_pays<kPlaneLines>,
                                       .floats = data_floats<kPlaneLines>,
                                       .run = data<kPlaneLines>,
                                       .describe = data_algorithm<kPlaneLines>};
constinit const ConvWay kLinesData = {.name = "lines",
                                      .pass = ConvPass::kData,
                                      .pays = data_pays<kPaddedLines>,
                                      .floats = data_floats<kPaddedLines>,
                                      .run = data<kPaddedLines>,
                                      .describe = data_algorithm<kPaddedLines>};

}  // namespace nsop::kernels
