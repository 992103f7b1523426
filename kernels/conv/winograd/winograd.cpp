#include "kernels/conv/winograd/winograd.h"

#include <cassert>
#include <utility>

#include "kernels/conv/shape/lines_plan.h"
#include "kernels/conv/winograd/chunks.h"
#include "kernels/conv/winograd/forward.h"
#include "kernels/conv/winograd/layer.h"
#include "kernels/conv/winograd/weights.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// Floats of transformed input per chunk, of about 2 MB of L2 cache.
constexpr size_t kForwardBudget = size_t{160} << 10;
constexpr size_t kWeightsBudget = size_t{448} << 10;

// Fewer tiles, of all images, don't make good the transform of the weights. A tile of 4 x 4 saves
// 108 of 144 products of a pair of channels, one of a line 6 of 12.
constexpr size_t kLeastTiles = 9;
constexpr size_t kLeastTilesOfLines = 32;

// The layer of one group as its pass reads and writes it.
WinogradLayer forward_layer(const ConvShape& s) {
  WinogradLayer l;
  l.tall = s.height().kernel == 3;
  l.batch = s.batch;
  l.channels = s.group_in();
  l.height = s.height().in;
  l.width = s.width().in;
  l.outs = s.group_out();
  l.out_height = s.height().out();
  l.out_width = s.width().out();
  l.pad_height = static_cast<ptrdiff_t>(s.height().pad);
  l.pad_width = static_cast<ptrdiff_t>(s.width().pad);
  l.image_floats = s.in_channels * s.in_pixels();
  l.out_image_floats = s.out_channels * s.out_pixels();
  l.channel_floats = s.in_pixels();
  l.out_channel_floats = s.out_pixels();
  l.slice_taps = s.depth().kernel;
  return l;
}

// dx is the convolution of dy with flipped weights.
WinogradLayer data_layer(const ConvShape& s) {
  const WinogradLayer f = forward_layer(s);
  WinogradLayer l = f;
  l.channels = f.outs;
  l.height = f.out_height;
  l.width = f.out_width;
  l.outs = f.channels;
  l.out_height = f.height;
  l.out_width = f.width;
  l.pad_height = f.tall ? 2 - f.pad_height : 0;
  l.pad_width = 2 - f.pad_width;
  l.image_floats = f.out_image_floats;
  l.out_image_floats = f.image_floats;
  std::swap(l.channel_floats, l.out_channel_floats);
  return l;
}

WinogradDepth forward_depth(const ConvShape& s) {
  return {s.depth().in, s.depth().out(), s.depth().pad};
}
WinogradDepth data_depth(const ConvShape& s) {
  return {s.depth().out(), s.depth().in, s.depth().kernel - 1 - s.depth().pad};
}

WinogradChunks forward_chunks(const WinogradLayer& l, const WinogradDepth& depth, int threads) {
  return {l, depth, l.channels, kForwardBudget, threads};
}

WinogradChunks weights_chunks(const ConvShape& s, int threads) {
  const WinogradLayer l = forward_layer(s);
  return {l, forward_depth(s), l.channels + l.outs, kWeightsBudget, threads};
}

size_t weights_parts(const WinogradChunks& chunks, int threads) {
  return std::min(chunks.count(), static_cast<size_t>(threads));
}

size_t forward_own_floats(const WinogradChunks& chunks) {
  return aligned_floats(chunks.most(winograd_forward_floats));
}

size_t forward_workspace(const WinogradLayer& l, const WinogradDepth& depth, bool flipped,
                         int threads) {
  return WinogradWeights(l, flipped).floats(l) +
         static_cast<size_t>(threads) * forward_own_floats(forward_chunks(l, depth, threads));
}

size_t weights_own_floats(const WinogradLayer& l, const WinogradChunks& chunks) {
  return winograd_sums_floats(l) + aligned_floats(chunks.most(winograd_weights_floats));
}

// One group of a forward pass, or of the gradient of the data.
struct ForwardGroup {
  const WinogradLayer& layer;
  const WinogradChunks& chunks;
  bool flipped;
  const float* x;
  const float* w;
  const float* bias;
  float* y;
};

void run_forward(const ForwardGroup& g, Out workspace, ThreadPool& thread_pool) {
  const WinogradWeights weights(g.layer, g.flipped);
  float* planes = workspace.data();
  const auto threads = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const Range rows = split_range(weights.rows, 1, threads, static_cast<size_t>(part));
    winograd_transform_weights(g.layer, weights, g.w, rows, planes);
  });
  const size_t own = forward_own_floats(g.chunks);
  float* rest = planes + weights.floats(g.layer);
  thread_pool.parallel(static_cast<int>(g.chunks.count()), [&](int i, int thread) {
    winograd_forward_chunk(g.chunks.chunk(static_cast<size_t>(i)), weights, planes, g.x, g.bias,
                           g.y, rest + static_cast<size_t>(thread) * own);
  });
}

// One group of the gradient of the weights. Each part sums its chunks by itself.
void run_weights(const WinogradLayer& l, const WinogradChunks& chunks, const float* x,
                 const float* dy, float* dw, Out workspace, ThreadPool& thread_pool) {
  const size_t parts = weights_parts(chunks, thread_pool.threads());
  const size_t own = weights_own_floats(l, chunks);
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    float* sums = workspace.data() + static_cast<size_t>(part) * own;
    const Range mine = split_range(chunks.count(), 1, parts, static_cast<size_t>(part));
    for (size_t i = mine.begin; i < mine.end; ++i) {
      winograd_weights_chunk(chunks.chunk(i), x, dy, i > mine.begin, sums,
                             sums + winograd_sums_floats(l));
    }
  });
  const auto threads = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    winograd_finish_weights(l, workspace.data(), parts, own,
                            split_range(l.outs, 1, threads, static_cast<size_t>(part)), dw);
  });
}

// How many products one slice of the kernel adds to one result of the pass.
size_t terms_of(const ConvShape& s, ConvPass pass) {
  const size_t taps = s.height().kernel * s.width().kernel;
  if (pass == ConvPass::kForward) return s.group_in() * taps;
  if (pass == ConvPass::kData) return s.group_out() * taps;
  return s.batch * s.out_pixels();
}

}  // namespace

std::string winograd_unsupported(const ConvShape& s, ConvPass pass) {
  const bool plane = s.height().kernel == 3;
  const bool line = s.height().kernel == 1 && s.height().pad == 0;
  const bool flat = s.depth().in == 1 && s.depth().kernel == 1 && s.depth().pad == 0;
  const bool volume = plane && s.depth().kernel == 3;
  if (s.width().kernel != 3 || !(((plane || line) && flat) || volume)) {
    return "wants kernels of 3x3x3 or 3x3, or 3 on one axis";
  }
  if (!s.all_axes([](const ConvAxis& a) { return a.stride == 1 && a.dilation == 1; })) {
    return "wants stride 1 and dilation 1";
  }
  if (!s.all_axes([](const ConvAxis& a) { return a.pad <= 2; }))
    return "wants padding of at most 2";
  if (s.mean) return "doesn't average";
  if (terms_of(s, pass) < kLeastTerms) {
    return "wants sums of at least " + std::to_string(kLeastTerms) + " products";
  }
  return {};
}

bool winograd_pays(const ConvShape& s, ConvPass pass) {
  const WinogradLayer l = pass == ConvPass::kData ? data_layer(s) : forward_layer(s);
  const size_t tiles = l.tile_rows() * l.tile_columns();  // of a slice, in whole vectors
  const bool fills = s.depth().kernel == 1 || fills_vectors(tiles, 16);
  const bool many = l.batch * tiles >= (l.tall ? kLeastTiles : kLeastTilesOfLines);
  // A tile takes 36 products of a pair of channels (6 of a line) and an output saves 9 (3).
  const bool full = l.out_height * l.out_width >= (l.tall ? 8 : 3) * tiles;
  return fills && many && full && winograd_unsupported(s, pass).empty() && s.group_in() >= 16 &&
         s.group_out() >= 16;
}

size_t winograd_workspace_floats(const ConvShape& s, ConvPass pass, int threads) {
  if (pass == ConvPass::kForward) {
    return forward_workspace(forward_layer(s), forward_depth(s), false, threads);
  }
  if (pass == ConvPass::kData) {
    return forward_workspace(data_layer(s), data_depth(s), true, threads);
  }
  return static_cast<size_t>(threads) *
         weights_own_floats(forward_layer(s), weights_chunks(s, threads));
}

void winograd_forward(const ConvShape& s, In x, In w, In bias, Out y, Out workspace,
                      ThreadPool& thread_pool) {
  assert(winograd_unsupported(s, ConvPass::kForward).empty());
  assert(workspace.size() >=
         winograd_workspace_floats(s, ConvPass::kForward, thread_pool.threads()));
  const WinogradLayer l = forward_layer(s);
  const WinogradChunks chunks = forward_chunks(l, forward_depth(s), thread_pool.threads());
  for (size_t group = 0; group < s.groups; ++group) {
    run_forward({.layer = l,
                 .chunks = chunks,
                 .flipped = false,
                 .x = x.data() + group * l.channels * l.channel_floats,
                 .w = w.data() + group * s.group_out() * s.patch(),
                 .bias = bias.empty() ? nullptr : bias.data() + group * l.outs,
                 .y = y.data() + group * l.outs * l.out_channel_floats},
                workspace, thread_pool);
  }
}

void winograd_backward_data(const ConvShape& s, In w, In dy, Out dx, Out workspace,
                            ThreadPool& thread_pool) {
  assert(winograd_unsupported(s, ConvPass::kData).empty());
  assert(workspace.size() >= winograd_workspace_floats(s, ConvPass::kData, thread_pool.threads()));
  const WinogradLayer l = data_layer(s);
  const WinogradChunks chunks = forward_chunks(l, data_depth(s), thread_pool.threads());
  for (size_t group = 0; group < s.groups; ++group) {
    run_forward({.layer = l,
                 .chunks = chunks,
                 .flipped = true,
                 .x = dy.data() + group * l.channels * l.channel_floats,
                 .w = w.data() + group * s.group_out() * s.patch(),
                 .bias = nullptr,
                 .y = dx.data() + group * l.outs * l.out_channel_floats},
                workspace, thread_pool);
  }
}

void winograd_backward_weights(const ConvShape& s, In x, In dy, Out dw, Out workspace,
                               ThreadPool& thread_pool) {
  assert(winograd_unsupported(s, ConvPass::kWeights).empty());
  assert(workspace.size() >=
         winograd_workspace_floats(s, ConvPass::kWeights, thread_pool.threads()));
  const WinogradLayer l = forward_layer(s);
  const WinogradChunks chunks = weights_chunks(s, thread_pool.threads());
  for (size_t group = 0; group < s.groups; ++group) {
    run_weights(l, chunks, x.data() + group * l.channels * l.channel_floats,
                dy.data() + group * l.outs * l.out_channel_floats,
                dw.data() + group * s.group_out() * s.patch(), workspace, thread_pool);
  }
}

}  // namespace nsop::kernels
