// Convolutions as textbooks lower them: the patches of an image are written out as a matrix, one
// product follows. For the record: the other ways do without the matrix.
// Its rows are declared in rows.h.
#include <algorithm>

#include "kernels/conv/shape/band.h"
#include "kernels/conv/shape/patches.h"
#include "kernels/conv/ways/rows.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// One image and group: y [group_out, pixels] = w [group_out, patch] columns [patch, pixels].
Gemm forward_product(const ConvShape& s) {
  Gemm g;
  g.m = s.group_out();
  g.n = s.out_pixels();
  g.k = s.patch();
  g.lda = g.k;
  g.ldb = g.ldc = g.n;
  return g;
}

// columns = w^T dy
Gemm data_product(const ConvShape& s) {
  Gemm g;
  g.m = s.patch();
  g.n = s.out_pixels();
  g.k = s.group_out();
  g.lda = g.m;
  g.a_transposed = true;
  g.ldb = g.ldc = g.n;
  return g;
}

// dw [group_out, patch] += dy columns^T
Gemm weights_product(const ConvShape& s, bool accumulate) {
  Gemm g;
  g.m = s.group_out();
  g.n = s.patch();
  g.k = s.out_pixels();
  g.lda = g.ldb = g.k;
  g.b_transposed = true;
  g.ldc = g.n;
  g.accumulate = accumulate;
  return g;
}

size_t columns_floats(const ConvShape& s) { return aligned_floats(s.patch() * s.out_pixels()); }
// The output, or its gradient, of one image and group, where only averages are given.
size_t spread_floats(const ConvShape& s) {
  return s.mean ? aligned_floats(s.group_out() * s.out_pixels()) : 0;
}

struct Buffers {
  float* columns;
  float* spread;
  Out rest;
  Buffers(const ConvShape& s, Out workspace)
      : columns(workspace.data()),
        spread(columns + columns_floats(s)),
        rest(workspace.subspan(columns_floats(s) + spread_floats(s))) {}
};

void write_columns(const ConvShape& s, const float* image, float* columns) {
  Patches patches;
  patches.axes = input_axes(s);
  patches.image = image;
  const PanelSource source = patch_source(patches);
  source.fill(source.context, {0, s.patch(), 0, s.out_pixels(), s.out_pixels()}, columns);
}

const float* gradient_of(const ConvShape& s, In dy, size_t first_out, float* spread) {
  const size_t pixels = s.out_pixels();
  if (!s.mean) return dy.data() + first_out * pixels;
  for (size_t o = 0; o < s.group_out(); ++o) {
    std::fill_n(spread + o * pixels, pixels, dy[first_out + o] / static_cast<float>(pixels));
  }
  return spread;
}

size_t input_of(const ConvShape& s, size_t unit) { return unit * s.group_in() * s.in_pixels(); }
size_t weights_of(const ConvShape& s, size_t unit) {
  return unit % s.groups * s.group_out() * s.patch();
}

bool always(const ConvShape& /*shape*/) { return true; }

// For all passes.
size_t im2col_floats(const ConvShape& s, int threads) {
  const size_t product = std::max({gemm_workspace_floats(forward_product(s), threads),
                                   gemm_workspace_floats(data_product(s), threads),
                                   gemm_workspace_floats(weights_product(s, false), threads),
                                   gemm_workspace_floats(weights_product(s, true), threads)});
  return columns_floats(s) + spread_floats(s) + product;
}

void im2col_forward(const ConvShape& s, const ConvTensors& t, Out workspace,
                    ThreadPool& thread_pool) {
  const Buffers buffers(s, workspace);
  for (size_t unit = 0; unit < s.batch * s.groups; ++unit) {
    const size_t first_out = unit * s.group_out();  // over the batch
    const size_t channel = unit % s.groups * s.group_out();
    write_columns(s, t.x.data() + input_of(s, unit), buffers.columns);
    Gemm g = forward_product(s);
    g.a = t.w.data() + weights_of(s, unit);
    g.b = buffers.columns;
    g.c = s.mean ? buffers.spread : t.y.data() + first_out * s.out_pixels();
    if (!s.mean && !t.bias.empty()) g.row_bias = t.bias.data() + channel;
    gemm(g, buffers.rest, thread_pool);
    if (!s.mean) continue;
    const Out means = t.y.subspan(first_out, s.group_out());
    add_row_sums(In(buffers.spread, g.m * g.n), g.n, false, means);
    for (size_t o = 0; o < means.size(); ++o) {
      const float mean = means[o] / static_cast<float>(g.n);
      means[o] = mean + (t.bias.empty() ? 0.0f : t.bias[channel + o]);
    }
  }
}

void im2col_data(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  const Buffers buffers(s, workspace);
  Patches patches;
  patches.axes = input_axes(s);
  std::fill(t.dx.begin(), t.dx.end(), 0.0f);
  for (size_t unit = 0; unit < s.batch * s.groups; ++unit) {
    Gemm g = data_product(s);
    g.a = t.w.data() + weights_of(s, unit);
    g.b = gradient_of(s, t.dy, unit * s.group_out(), buffers.spread);
    g.c = buffers.columns;
    gemm(g, buffers.rest, thread_pool);
    add_patches(patches, s.group_in(), g.c, t.dx.data() + input_of(s, unit));
  }
}

void im2col_weights(const ConvShape& s, const ConvTensors& t, Out workspace,
                    ThreadPool& thread_pool) {
  const Buffers buffers(s, workspace);
  for (size_t unit = 0; unit < s.batch * s.groups; ++unit) {
    write_columns(s, t.x.data() + input_of(s, unit), buffers.columns);
    Gemm g = weights_product(s, unit >= s.groups);
    g.a = gradient_of(s, t.dy, unit * s.group_out(), buffers.spread);
    g.b = buffers.columns;
    g.c = t.dw.data() + weights_of(s, unit);
    gemm(g, buffers.rest, thread_pool);
  }
}

std::string im2col_algorithm(const ConvShape& /*shape*/) {
  return "matrix of patches, one product";
}

}  // namespace

constinit const ConvWay kIm2colForward = {.name = "im2col",
                                          .pass = ConvPass::kForward,
                                          .pays = always,
                                          .floats = im2col_floats,
                                          .run = im2col_forward,
                                          .describe = im2col_algorithm};
constinit const ConvWay kIm2colData = {.name = "im2col",
                                       .pass = ConvPass::kData,
                                       .pays = always,
                                       .floats = im2col_floats,
                                       .run = im2col_data,
                                       .describe = im2col_algorithm};
constinit const ConvWay kIm2colWeights = {.name = "im2col",
                                          .pass = ConvPass::kWeights,
                                          .pays = always,
                                          .floats = im2col_floats,
                                          .run = im2col_weights,
                                          .describe = im2col_algorithm};

}  // namespace nsop::kernels
