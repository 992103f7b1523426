#include "kernels/conv/conv.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/conv/shape/band.h"
#include "kernels/conv/shape/forks.h"
#include "kernels/conv/shape/lines_plan.h"
#include "kernels/conv/shape/patches.h"
#include "kernels/conv/shape/units.h"
#include "kernels/conv/ways/bias.h"
#include "kernels/conv/ways/few.h"
#include "kernels/conv/ways/lines.h"
#include "kernels/conv/ways/mean.h"
#include "kernels/conv/ways/phases.h"
#include "kernels/conv/ways/weights.h"
#include "kernels/gemm/gemm.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// Is the patch matrix the image itself?
bool is_pointwise(const ConvShape& s) {
  return s.all_axes([](const ConvAxis& a) { return a.kernel == 1 && a.stride == 1 && a.pad == 0; });
}

// dx: the patches of dy against the flipped kernel, or dense products scattered over dx? The first
// wants stride 1 and pays per output channel, the second per input channel.
bool data_by_patches(const ConvShape& s) {
  const bool unit_stride = s.all_axes([](const ConvAxis& a) { return a.stride == 1; });
  return unit_stride && (s.taps() == 1 || 3 * s.group_in() >= s.group_out());
}

// The products behind the passes, of one image and group, with empty data pointers.

// y [group_out, out_pixels] = w [group_out, patch] patches(x)
Gemm forward_gemm(const ConvShape& s) {
  Gemm g;
  g.m = s.group_out();
  g.n = s.out_pixels();
  g.k = s.patch();
  g.lda = s.patch();
  g.ldb = g.n;  // pointwise
  g.ldc = g.n;
  return g;
}

// dx [group_in, height * width] = flipped w^T patches(dy)
Gemm data_patch_gemm(const ConvShape& s) {
  Gemm g;
  g.m = s.group_in();
  g.n = s.in_pixels();
  g.k = s.group_out() * s.taps();
  g.lda = s.group_in();
  g.a_transposed = true;
  g.ldb = g.n;  // pointwise
  g.ldc = g.n;
  return g;
}

// columns [patch, out_pixels] = w^T dy, to be scattered over dx
Gemm data_column_gemm(const ConvShape& s) {
  Gemm g;
  g.m = s.patch();
  g.n = s.out_pixels();
  g.k = s.group_out();
  g.lda = s.patch();
  g.a_transposed = true;
  g.ldb = g.n;
  g.ldc = g.n;
  return g;
}

// dw [group_out, patch] += dy patches(x)^T
Gemm weights_gemm(const ConvShape& s) {
  Gemm g;
  g.m = s.group_out();
  g.n = s.patch();
  g.k = s.out_pixels();
  g.lda = s.out_pixels();
  g.ldb = g.k;  // pointwise
  g.b_transposed = true;
  g.ldc = g.n;
  return g;
}

Patches input_patches(const ConvShape& s) {
  Patches p;
  p.axes = input_axes(s);
  return p;
}

Patches gradient_patches(const ConvShape& s) {
  Patches p;
  p.axes = gradient_axes(s);
  return p;
}

// The gemm as it runs: with its source of B unless that is a matrix in memory.
Gemm with_source(Gemm g, bool in_place, const PanelSource& source) {
  if (!in_place) {
    g.b_source = source;
    g.b_transposed = false;
  }
  return g;
}

// Of for_each_unit, where a unit needs `extra` floats beside the workspace of the gemm.
size_t products_workspace(size_t units, const Gemm& g, size_t extra, int threads) {
  return units_workspace(units, threads,
                         [&](int count) { return gemm_workspace_floats(g, count) + extra; });
}

size_t sums_floats(const ConvShape& s) { return s.mean ? s.group_out() * kRowSumLanes : 0; }

Gemm forward_form(const ConvShape& s, const Patches& patches, float* sums) {
  Gemm g = with_source(forward_gemm(s), is_pointwise(s), patch_source(patches));
  g.row_sums = s.mean ? sums : nullptr;
  return g;
}

// One image and group.
void forward_unit(const ConvShape& s, In x, In w, In bias, Out y, size_t unit, Out workspace,
                  ThreadPool& pool) {
  const size_t image = unit / s.groups;
  const size_t group = unit % s.groups;
  const size_t first_out = image * s.out_channels + group * s.group_out();
  Patches patches = input_patches(s);
  patches.image = x.data() + (image * s.in_channels + group * s.group_in()) * s.in_pixels();
  float* sums = workspace.data();
  Gemm g = forward_form(s, patches, sums);
  g.a = w.data() + group * s.group_out() * s.patch();
  g.b = patches.image;
  const float* group_bias = bias.empty() ? nullptr : bias.data() + group * s.group_out();
  if (!s.mean) {
    g.c = y.data() + first_out * g.ldc;
    g.row_bias = group_bias;
  } else {
    std::fill_n(sums, sums_floats(s), 0.0f);
  }
  gemm(g, workspace.subspan(sums_floats(s)), pool);
  if (!s.mean) return;
  const auto pixels = static_cast<float>(s.out_pixels());
  add_row_sums(In(sums, sums_floats(s)), kRowSumLanes, false, y.subspan(first_out, s.group_out()));
  for (size_t c = 0; c < s.group_out(); ++c) {
    float& mean = y[first_out + c];
    mean = mean / pixels + (group_bias == nullptr ? 0.0f : group_bias[c]);
  }
}

// flipped[group][out channel][tap][in channel] = w[group, out channel][in channel][taps - 1 - tap]
void flip_weights(const ConvShape& s, In w, float* flipped) {
  const size_t taps = s.taps();
  for (size_t o = 0; o < s.out_channels; ++o) {
    const float* from = w.data() + o * s.patch();
    float* to = flipped + o * s.patch();
    for (size_t c = 0; c < s.group_in(); ++c) {
      for (size_t t = 0; t < taps; ++t) to[t * s.group_in() + c] = from[c * taps + taps - 1 - t];
    }
  }
}

void data_unit_by_patches(const ConvShape& s, const float* flipped, const float* dy, float* dx,
                          size_t group, Out workspace, ThreadPool& pool) {
  Patches patches = gradient_patches(s);
  patches.image = dy;
  Gemm g = with_source(data_patch_gemm(s), is_pointwise(s), patch_source(patches));
  g.a = flipped + group * s.group_out() * s.patch();
  g.b = dy;
  g.c = dx;
  gemm(g, workspace, pool);
}

void data_unit_by_columns(const ConvShape& s, In w, const float* dy, float* dx, size_t group,
                          Out workspace, ThreadPool& pool) {
  Gemm g = data_column_gemm(s);
  g.a = w.data() + group * s.group_out() * s.patch();
  g.b = dy;
  g.c = workspace.data();
  gemm(g, workspace.subspan(aligned_floats(g.m * g.n)), pool);
  std::fill_n(dx, s.group_in() * s.in_pixels(), 0.0f);
  add_patches(input_patches(s), s.group_in(), g.c, dx);
}

size_t data_workspace(const ConvShape& s, int threads) {
  if (s.mean) return mean_gradient_floats(s, threads);
  if (few_data_pays(s)) return few_data_floats(s, threads);
  if (phases_pay_data(s)) return phases_floats(s, threads);
  const size_t units = s.batch * s.groups;
  if (!data_by_patches(s)) {
    const Gemm g = data_column_gemm(s);
    return products_workspace(units, g, aligned_floats(g.m * g.n), threads);
  }
  const Patches patches = gradient_patches(s);
  const Gemm g = with_source(data_patch_gemm(s), is_pointwise(s), patch_source(patches));
  return aligned_floats(s.out_channels * s.patch()) + products_workspace(units, g, 0, threads);
}

// dw is computed in parts: of each group, so many ranges of columns that no thread is idle.
size_t weight_chunks(const ConvShape& s, size_t threads) {
  return (threads + s.groups - 1) / s.groups;
}

// Columns [columns.begin, columns.end) of dw of one group, over all images.
void weights_part(const ConvShape& s, In x, In dy, Out dw, size_t group, Range columns,
                  Out workspace) {
  Patches patches = input_patches(s);
  patches.first_row = columns.begin;
  Gemm g = with_source(weights_gemm(s), is_pointwise(s), transposed_patch_source(patches));
  g.n = columns.size();
  g.c = dw.data() + group * s.group_out() * s.patch() + columns.begin;
  for (size_t image = 0; image < s.batch; ++image) {
    patches.image = x.data() + (image * s.in_channels + group * s.group_in()) * s.in_pixels();
    g.a = dy.data() + (image * s.out_channels + group * s.group_out()) * s.out_pixels();
    g.b = patches.image + columns.begin * g.ldb;
    g.accumulate = image > 0;
    gemm(g, workspace, serial_pool());
  }
}

// What a convolution costs per multiply-add depends on how it is done.
enum class ConvKind {
  kMean,
  kDepthwise,
  kOneChannelOneAxis,
  kOneChannel,
  kOneAxis,
  kTwoAxes,
  kThreeAxes
};

ConvKind kind_of(const ConvShape& s) {
  if (s.mean) return ConvKind::kMean;
  if (s.group_in() == 1 && s.groups > 1) return ConvKind::kDepthwise;
  const auto has = [](const auto& axis) { return axis.in > 1 || axis.kernel > 1; };
  const bool one_axis = !has(s.depth()) && !has(s.height());
  if (s.group_in() == 1) return one_axis ? ConvKind::kOneChannelOneAxis : ConvKind::kOneChannel;
  if (one_axis) return ConvKind::kOneAxis;
  return has(s.depth()) ? ConvKind::kThreeAxes : ConvKind::kTwoAxes;
}

// By kind. Gradients of a mean decide for themselves.
constexpr std::array<ConvForks, 7> kForks = {{
    {kConvMeanMacs, kReducedElements},
    {kDepthwiseMacs, kDepthwiseGradientMacs},
    {kOneChannelMacs, kOneChannel1DGradientMacs},
    {kOneChannelMacs, kOneChannelGradientMacs},
    {kConv1DMacs, kConv1DGradientMacs},
    {kConvMacs, kConvGradientMacs},
    {kConv3DMacs, kConv3DGradientMacs},
}};

size_t weights_workspace(const ConvShape& s, int threads) {
  if (s.mean) return mean_gradient_floats(s, threads);
  if (channel_weights_pays(s)) return channel_weights_floats(s, threads);
  if (few_weights_pay(s)) return few_weights_floats(s, threads);
  const Patches patches = input_patches(s);
  Gemm g = with_source(weights_gemm(s), is_pointwise(s), transposed_patch_source(patches));
  const size_t chunks = weight_chunks(s, static_cast<size_t>(threads));
  size_t most = 0;
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    g.n = split_range(s.patch(), 16, chunks, chunk).size();
    if (g.n == 0) continue;
    for (const bool accumulate : {false, true}) {
      g.accumulate = accumulate;
      most = std::max(most, gemm_workspace_floats(g, 1));
    }
  }
  return static_cast<size_t>(threads) * most;
}

}  // namespace

ThreadPool& conv_pool(const ConvShape& s, ConvPass pass, ThreadPool& pool) {
  if (pool.threads() == 1) return pool;  // no divisions: this may be a matter of nanoseconds
  const bool forward = pass == ConvPass::kForward;
  if (s.mean && !forward) return pool;  // no product per pixel: decides itself
  const ConvForks& forks = kForks[static_cast<size_t>(kind_of(s))];
  const size_t parts = forward ? worthwhile_parts(pool, conv_macs(s), forks.forward)
                               : worthwhile_parts(pool, 2 * conv_macs(s), forks.gradients);
  return parts > 1 ? pool : serial_pool();
}

size_t conv_workspace_floats(const ConvShape& s, int threads) {
  const bool lines = lines_pay_forward(s) || lines_pay_data(s);
  const size_t line_floats = lines ? lines_workspace_floats(s, threads) : 0;
  const Patches patches = input_patches(s);
  float sums = 0;
  const size_t forward = products_workspace(s.batch * s.groups, forward_form(s, patches, &sums),
                                            sums_floats(s), threads);
  return std::max(
      {line_floats, forward, data_workspace(s, threads), weights_workspace(s, threads)});
}

void conv_forward(const ConvShape& s, In x, In w, In bias, Out y, Out workspace, ThreadPool& pool) {
  assert(x.size() == s.batch * s.in_channels * s.in_pixels());
  assert(w.size() == s.out_channels * s.patch());
  assert(y.size() == s.batch * s.out_channels * (s.mean ? 1 : s.out_pixels()));
  if (lines_pay_forward(s)) return lines_forward(s, x, w, bias, y, workspace, pool);
  for_each_unit(s.batch * s.groups, workspace, pool,
                [&](size_t unit, Out own, ThreadPool& unit_pool) {
                  forward_unit(s, x, w, bias, y, unit, own, unit_pool);
                });
}

void conv_backward_data(const ConvShape& s, In w, In dy, Out dx, Out workspace, ThreadPool& pool) {
  assert(dx.size() == s.batch * s.in_channels * s.in_pixels());
  assert(dy.size() == s.batch * s.out_channels * (s.mean ? 1 : s.out_pixels()));
  if (s.mean) return mean_backward_data(s, w, dy, dx, workspace, pool);
  if (few_data_pays(s)) return few_data(s, w, dy, dx, workspace, pool);
  if (lines_pay_data(s)) return lines_backward_data(s, w, dy, dx, workspace, pool);
  if (phases_pay_data(s)) return phases_backward_data(s, w, dy, dx, workspace, pool);
  const bool by_patches = data_by_patches(s);
  const float* flipped = workspace.data();
  if (by_patches) {
    flip_weights(s, w, workspace.data());
    workspace = workspace.subspan(aligned_floats(s.out_channels * s.patch()));
  }
  for_each_unit(s.batch * s.groups, workspace, pool,
                [&](size_t unit, Out own, ThreadPool& unit_pool) {
                  const size_t group = unit % s.groups;
                  const float* dy_unit = dy.data() + unit * s.group_out() * s.out_pixels();
                  float* dx_unit = dx.data() + unit * s.group_in() * s.in_pixels();
                  if (by_patches) {
                    data_unit_by_patches(s, flipped, dy_unit, dx_unit, group, own, unit_pool);
                  } else {
                    data_unit_by_columns(s, w, dy_unit, dx_unit, group, own, unit_pool);
                  }
                });
}

void conv_backward_weights(const ConvShape& s, In x, In dy, Out dw, Out dbias, Out workspace,
                           ThreadPool& pool) {
  assert(dw.size() == s.out_channels * s.patch());
  assert(dbias.empty() || dbias.size() == s.out_channels);
  if (!s.mean && !channel_weights_pays(s) && few_weights_pay(s)) {
    return few_weights(s, x, dy, dw, dbias, workspace, pool);
  }
  if (!dbias.empty()) conv_backward_bias(s, dy, dbias, pool);
  if (s.mean) return mean_backward_weights(s, x, dy, dw, workspace, pool);
  if (channel_weights_pays(s)) return channel_weights(s, x, dy, dw, workspace, pool);
  const auto threads = static_cast<size_t>(pool.threads());
  const size_t chunks = weight_chunks(s, threads);
  const size_t own = workspace.size() / threads / 16 * 16;
  pool.parallel(static_cast<int>(s.groups * chunks), [&](int part, int thread) {
    const size_t group = static_cast<size_t>(part) / chunks;
    const Range columns = split_range(s.patch(), 16, chunks, static_cast<size_t>(part) % chunks);
    if (columns.size() == 0) return;
    weights_part(s, x, dy, dw, group, columns,
                 workspace.subspan(static_cast<size_t>(thread) * own, own));
  });
}

std::string conv_forward_algorithm(const ConvShape& s) {
  if (lines_pay_forward(s)) return lines_algorithm(forward_lines(s));
  const Patches patches = input_patches(s);
  float sums = 0;
  return (is_pointwise(s) ? "" : "implicit ") + gemm_algorithm(forward_form(s, patches, &sums));
}

std::string conv_data_algorithm(const ConvShape& s) {
  if (s.mean) return mean_gradient_algorithm();
  if (few_data_pays(s)) return few_data_algorithm();
  if (lines_pay_data(s)) return lines_algorithm(gradient_lines(s));
  if (phases_pay_data(s)) return phases_algorithm(s);
  if (!data_by_patches(s)) return gemm_algorithm(data_column_gemm(s)) + ", scattered";
  const Patches patches = gradient_patches(s);
  const Gemm g = with_source(data_patch_gemm(s), is_pointwise(s), patch_source(patches));
  return (is_pointwise(s) ? "" : "implicit ") + gemm_algorithm(g);
}

std::string conv_weights_algorithm(const ConvShape& s) {
  if (s.mean) return mean_gradient_algorithm();
  if (channel_weights_pays(s)) return channel_weights_algorithm();
  if (few_weights_pay(s)) return few_weights_algorithm(s);
  const Patches patches = input_patches(s);
  const Gemm g = with_source(weights_gemm(s), is_pointwise(s), transposed_patch_source(patches));
  return (is_pointwise(s) ? "" : "implicit ") + gemm_algorithm(g);
}

}  // namespace nsop::kernels
