// Convolutions as matrix products. Forward, and for the data, of weights and patches that the
// product packs on the fly; or for the data dense products, scattered over dx; for the weights of
// dy and transposed patches. Its rows are declared in rows.h.
#include "kernels/gemm/gemm.h"

#include <algorithm>

#include "kernels/conv/shape/band.h"
#include "kernels/conv/shape/patches.h"
#include "kernels/conv/shape/units.h"
#include "kernels/conv/ways/rows.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// Is the patch matrix the image itself?
bool is_pointwise(const ConvShape& s) {
  return s.all_axes([](const ConvAxis& a) { return a.kernel == 1 && a.stride == 1 && a.pad == 0; });
}

// Patches of dy against the flipped kernel want stride 1 and cost per output channel, products that
// are scattered over dx per input channel.
bool patches_pay(const ConvShape& s) {
  if (s.mean) return false;
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

// The gemm as it runs: with its source of B unless that is a matrix in memory, the image itself.
Gemm with_source(const ConvShape& s, Gemm g, const PanelSource& source) {
  if (!is_pointwise(s)) {
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
  Gemm g = with_source(s, forward_gemm(s), patch_source(patches));
  g.row_sums = s.mean ? sums : nullptr;
  return g;
}

// One image and group.
void forward_unit(const ConvShape& s, In x, In w, In bias, Out y, size_t unit, Out workspace,
                  ThreadPool& thread_pool) {
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
  gemm(g, workspace.subspan(sums_floats(s)), thread_pool);
  if (!s.mean) return;
  const auto pixels = static_cast<float>(s.out_pixels());
  add_row_sums(In(sums, sums_floats(s)), kRowSumLanes, false, y.subspan(first_out, s.group_out()));
  for (size_t c = 0; c < s.group_out(); ++c) {
    float& mean = y[first_out + c];
    mean = mean / pixels + (group_bias == nullptr ? 0.0f : group_bias[c]);
  }
}

bool always(const ConvShape& /*shape*/) { return true; }
bool is_no_mean(const ConvShape& s) { return !s.mean; }

// What the gemm of a pass does, in words: implicit where its B has a source.
std::string algorithm_of(const Gemm& g) {
  return (g.b_source.fill == nullptr ? "" : "implicit ") + gemm_algorithm(g);
}

size_t forward_floats(const ConvShape& s, int threads) {
  const Patches patches = input_patches(s);
  float sums = 0;
  return products_workspace(s.batch * s.groups, forward_form(s, patches, &sums), sums_floats(s),
                            threads);
}

void forward(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  for_each_unit(s.batch * s.groups, workspace, thread_pool,
                [&](size_t unit, Out own, ThreadPool& unit_threads) {
                  forward_unit(s, t.x, t.w, t.bias, t.y, unit, own, unit_threads);
                });
}

std::string forward_algorithm(const ConvShape& s) {
  const Patches patches = input_patches(s);
  float sums = 0;
  return algorithm_of(forward_form(s, patches, &sums));
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

// With empty data pointers; `patches` must outlive it.
Gemm data_patch_form(const ConvShape& s, const Patches& patches) {
  return with_source(s, data_patch_gemm(s), patch_source(patches));
}

size_t patches_floats(const ConvShape& s, int threads) {
  const Patches patches = gradient_patches(s);
  return aligned_floats(s.w_floats()) +
         products_workspace(s.batch * s.groups, data_patch_form(s, patches), 0, threads);
}

void data_by_patches(const ConvShape& s, const ConvTensors& t, Out workspace,
                     ThreadPool& thread_pool) {
  const float* flipped = workspace.data();
  flip_weights(s, t.w, workspace.data());
  const Out rest = workspace.subspan(aligned_floats(s.w_floats()));
  for_each_unit(s.batch * s.groups, rest, thread_pool,
                [&](size_t unit, Out own, ThreadPool& unit_threads) {
                  Patches patches = gradient_patches(s);
                  patches.image = t.dy.data() + unit * s.group_out() * s.out_pixels();
                  Gemm g = data_patch_form(s, patches);
                  g.a = flipped + unit % s.groups * s.group_out() * s.patch();
                  g.b = patches.image;
                  g.c = t.dx.data() + unit * s.group_in() * s.in_pixels();
                  gemm(g, own, unit_threads);
                });
}

std::string patches_algorithm(const ConvShape& s) {
  const Patches patches = gradient_patches(s);
  return algorithm_of(data_patch_form(s, patches));
}

size_t columns_floats(const ConvShape& s, int threads) {
  const Gemm g = data_column_gemm(s);
  return products_workspace(s.batch * s.groups, g, aligned_floats(g.m * g.n), threads);
}

void data_by_columns(const ConvShape& s, const ConvTensors& t, Out workspace,
                     ThreadPool& thread_pool) {
  for_each_unit(s.batch * s.groups, workspace, thread_pool,
                [&](size_t unit, Out own, ThreadPool& unit_threads) {
                  Gemm g = data_column_gemm(s);
                  g.a = t.w.data() + unit % s.groups * s.group_out() * s.patch();
                  g.b = t.dy.data() + unit * s.group_out() * s.out_pixels();
                  g.c = own.data();
                  gemm(g, own.subspan(aligned_floats(g.m * g.n)), unit_threads);
                  float* dx = t.dx.data() + unit * s.group_in() * s.in_pixels();
                  std::fill_n(dx, s.group_in() * s.in_pixels(), 0.0f);
                  add_patches(input_patches(s), s.group_in(), g.c, dx);
                });
}

std::string columns_algorithm(const ConvShape& s) {
  return gemm_algorithm(data_column_gemm(s)) + ", scattered";
}

// dw is computed in parts: of each group, so many ranges of columns that no thread is idle.
size_t weight_chunks(const ConvShape& s, size_t threads) {
  return (threads + s.groups - 1) / s.groups;
}

// With empty data pointers; `patches` must outlive it.
Gemm weights_form(const ConvShape& s, const Patches& patches) {
  return with_source(s, weights_gemm(s), transposed_patch_source(patches));
}

// Columns [columns.begin, columns.end) of dw of one group, over all images.
void weights_part(const ConvShape& s, const ConvTensors& t, size_t group, Range columns,
                  Out workspace) {
  Patches patches = input_patches(s);
  patches.first_row = columns.begin;
  Gemm g = weights_form(s, patches);
  g.n = columns.size();
  g.c = t.dw.data() + group * s.group_out() * s.patch() + columns.begin;
  for (size_t image = 0; image < s.batch; ++image) {
    patches.image = t.x.data() + (image * s.in_channels + group * s.group_in()) * s.in_pixels();
    g.a = t.dy.data() + (image * s.out_channels + group * s.group_out()) * s.out_pixels();
    g.b = patches.image + columns.begin * g.ldb;
    g.accumulate = image > 0;
    gemm(g, workspace, serial_threads());
  }
}

size_t weights_floats(const ConvShape& s, int threads) {
  const Patches patches = input_patches(s);
  Gemm g = weights_form(s, patches);
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

void weights(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const size_t chunks = weight_chunks(s, threads);
  const size_t own = workspace.size() / threads / 16 * 16;
  thread_pool.parallel(static_cast<int>(s.groups * chunks), [&](int part, int thread) {
    const size_t group = static_cast<size_t>(part) / chunks;
    const Range columns = split_range(s.patch(), 16, chunks, static_cast<size_t>(part) % chunks);
    if (columns.size() == 0) return;
    weights_part(s, t, group, columns, workspace.subspan(static_cast<size_t>(thread) * own, own));
  });
}

std::string weights_algorithm(const ConvShape& s) {
  const Patches patches = input_patches(s);
  return algorithm_of(weights_form(s, patches));
}

}  // namespace

constinit const ConvWay kGemmForward = {.name = "gemm",
                                        .pass = ConvPass::kForward,
                                        .pays = always,
                                        .floats = forward_floats,
                                        .run = forward,
                                        .describe = forward_algorithm};
constinit const ConvWay kPatchesData = {.name = "patches",
                                        .pass = ConvPass::kData,
                                        .pays = patches_pay,
                                        .floats = patches_floats,
                                        .run = data_by_patches,
                                        .describe = patches_algorithm};
constinit const ConvWay kColumnsData = {.name = "columns",
                                        .pass = ConvPass::kData,
                                        .pays = is_no_mean,
                                        .floats = columns_floats,
                                        .run = data_by_columns,
                                        .describe = columns_algorithm};
constinit const ConvWay kGemmWeights = {.name = "gemm",
                                        .pass = ConvPass::kWeights,
                                        .pays = is_no_mean,
                                        .floats = weights_floats,
                                        .run = weights,
                                        .describe = weights_algorithm};

}  // namespace nsop::kernels
