#include "kernels/winograd.h"

#include <cassert>

#include "kernels/winograd_forward.h"
#include "kernels/winograd_layer.h"
#include "kernels/winograd_weights.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// Floats of transformed input per chunk, of about 2 MB of L2 cache.
constexpr size_t kForwardBudget = size_t{160} << 10;
constexpr size_t kWeightsBudget = size_t{448} << 10;

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
  return l;
}

size_t forward_chunks(const WinogradLayer& l, int threads) {
  return winograd_chunks(l, l.points() * l.channels, kForwardBudget, static_cast<size_t>(threads));
}

size_t weights_chunks(const WinogradLayer& l, int threads) {
  return winograd_chunks(l, l.points() * (l.channels + l.outs), kWeightsBudget,
                         static_cast<size_t>(threads));
}

size_t weights_parts(const WinogradLayer& l, int threads) {
  return std::min(weights_chunks(l, threads), static_cast<size_t>(threads));
}

size_t forward_workspace(const WinogradLayer& l, bool flipped, int threads) {
  const size_t own = winograd_forward_floats(l, chunk_tiles(l, forward_chunks(l, threads)));
  return l.points() * WinogradWeights(l, flipped).plane +
         static_cast<size_t>(threads) * aligned_floats(own);
}

size_t weights_own_floats(const WinogradLayer& l, int threads) {
  const size_t tiles = chunk_tiles(l, weights_chunks(l, threads));
  return l.points() * winograd_sums(l).plane + aligned_floats(winograd_weights_floats(l, tiles));
}

// One group of a forward pass, or of the gradient of the data.
void run_forward(const WinogradLayer& l, bool flipped, const float* x, const float* w,
                 const float* bias, float* y, Out workspace, Pool& pool) {
  const WinogradWeights weights(l, flipped);
  float* planes = workspace.data();
  const auto threads = static_cast<size_t>(pool.threads());
  pool.parallel(pool.threads(), [&](int part, int) {
    const Range rows = split_range(weights.rows, 1, threads, static_cast<size_t>(part));
    winograd_transform_weights(l, weights, w, rows, planes);
  });
  const size_t chunks = forward_chunks(l, pool.threads());
  const size_t own = aligned_floats(winograd_forward_floats(l, chunk_tiles(l, chunks)));
  float* rest = planes + l.points() * weights.plane;
  pool.parallel(static_cast<int>(chunks), [&](int chunk, int thread) {
    const Range rows = split_range(l.all_rows(), 1, chunks, static_cast<size_t>(chunk));
    winograd_forward_chunk(l, weights, planes, x, bias, y, rows,
                           rest + static_cast<size_t>(thread) * own);
  });
}

// One group of the gradient of the weights. Each part sums its chunks by itself.
void run_weights(const WinogradLayer& l, const float* x, const float* dy, float* dw, Out workspace,
                 Pool& pool) {
  const size_t chunks = weights_chunks(l, pool.threads());
  const size_t parts = weights_parts(l, pool.threads());
  const size_t own = weights_own_floats(l, pool.threads());
  const size_t sums_floats = l.points() * winograd_sums(l).plane;
  pool.parallel(static_cast<int>(parts), [&](int part, int) {
    float* sums = workspace.data() + static_cast<size_t>(part) * own;
    const Range mine = split_range(chunks, 1, parts, static_cast<size_t>(part));
    for (size_t chunk = mine.begin; chunk < mine.end; ++chunk) {
      winograd_weights_chunk(l, x, dy, split_range(l.all_rows(), 1, chunks, chunk),
                             chunk > mine.begin, sums, sums + sums_floats);
    }
  });
  const auto threads = static_cast<size_t>(pool.threads());
  pool.parallel(pool.threads(), [&](int part, int) {
    winograd_finish_weights(l, workspace.data(), parts, own,
                            split_range(l.outs, 1, threads, static_cast<size_t>(part)), dw);
  });
}

// Products summed to one result of the pass.
size_t terms_of(const ConvShape& s, ConvPass pass) {
  if (pass == ConvPass::kForward) return s.patch();
  if (pass == ConvPass::kData) return s.group_out() * s.taps();
  return s.batch * s.out_pixels();
}

}  // namespace

std::string winograd_unsupported(const ConvShape& s, ConvPass pass) {
  const bool plane = s.height().kernel == 3;
  const bool line = s.height().kernel == 1 && s.height().pad == 0;
  const bool flat = s.depth().in == 1 && s.depth().kernel == 1 && s.depth().pad == 0;
  if (s.width().kernel != 3 || !(plane || line) || !flat) {
    return "wants kernels of 3x3, or 3 on one axis";
  }
  if (!s.all_axes([](const ConvAxis& a) { return a.stride == 1 && a.dilation == 1; })) {
    return "wants stride 1 and dilation 1";
  }
  if (s.height().pad > 2 || s.width().pad > 2) return "wants padding of at most 2";
  if (s.mean) return "doesn't average";
  if (terms_of(s, pass) < kLeastTerms) {
    return "wants sums of at least " + std::to_string(kLeastTerms) + " products";
  }
  return {};
}

bool winograd_pays(const ConvShape& s, ConvPass pass) {
  return winograd_unsupported(s, pass).empty() && s.group_in() >= 16 && s.group_out() >= 16;
}

size_t winograd_workspace_floats(const ConvShape& s, ConvPass pass, int threads) {
  if (pass == ConvPass::kForward) return forward_workspace(forward_layer(s), false, threads);
  if (pass == ConvPass::kData) return forward_workspace(data_layer(s), true, threads);
  return static_cast<size_t>(threads) * weights_own_floats(forward_layer(s), threads);
}

void winograd_forward(const ConvShape& s, In x, In w, In bias, Out y, Out workspace, Pool& pool) {
  assert(winograd_unsupported(s, ConvPass::kForward).empty());
  assert(workspace.size() >= winograd_workspace_floats(s, ConvPass::kForward, pool.threads()));
  const WinogradLayer l = forward_layer(s);
  for (size_t group = 0; group < s.groups; ++group) {
    run_forward(l, false, x.data() + group * l.channels * l.height * l.width,
                w.data() + group * s.group_out() * s.patch(),
                bias.empty() ? nullptr : bias.data() + group * l.outs,
                y.data() + group * l.outs * s.out_pixels(), workspace, pool);
  }
}

void winograd_backward_data(const ConvShape& s, In w, In dy, Out dx, Out workspace, Pool& pool) {
  assert(winograd_unsupported(s, ConvPass::kData).empty());
  assert(workspace.size() >= winograd_workspace_floats(s, ConvPass::kData, pool.threads()));
  const WinogradLayer l = data_layer(s);
  for (size_t group = 0; group < s.groups; ++group) {
    run_forward(l, true, dy.data() + group * l.channels * s.out_pixels(),
                w.data() + group * s.group_out() * s.patch(), nullptr,
                dx.data() + group * l.outs * s.in_pixels(), workspace, pool);
  }
}

void winograd_backward_weights(const ConvShape& s, In x, In dy, Out dw, Out workspace, Pool& pool) {
  assert(winograd_unsupported(s, ConvPass::kWeights).empty());
  assert(workspace.size() >= winograd_workspace_floats(s, ConvPass::kWeights, pool.threads()));
  const WinogradLayer l = forward_layer(s);
  for (size_t group = 0; group < s.groups; ++group) {
    run_weights(l, x.data() + group * l.channels * l.height * l.width,
                dy.data() + group * l.outs * s.out_pixels(),
                dw.data() + group * s.group_out() * s.patch(), workspace, pool);
  }
}

}  // namespace nsop::kernels
