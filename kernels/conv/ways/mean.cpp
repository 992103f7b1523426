// The gradients of a convolution whose output is averaged over its pixels, without a product per
// pixel: all pixels of an output channel have the same gradient, g[n,o] = dy[n,o] / pixels. With
// the window of tap t, the inputs that it meets as it passes over the outputs,
//   dw[o,c,t] = sum over n of g[n,o] s[n,c,t],  s[n,c,t] = the sum of x[n,c] over the window of t,
//   dx[n,c,i] = sum over the t in whose windows i lies of q[n,c,t],
//                                               q[n,c,t] = sum over o of g[n,o] w[o,c,t].
// These are the sums of the textbook in another order; they take 2 batch * out_channels * patch
// flops each, and kernel depth * kernel height additions per input: so little that nominal flops,
// which count a product per pixel, say nothing about their speed. Its rows are declared in rows.h.
#include <algorithm>
#include <cassert>

#include "kernels/conv/shape/band.h"
#include "kernels/conv/ways/rows.h"
#include "kernels/gemm/gemm.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/mean.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

#ifndef NSOP_KERNELS_CONV_MEAN_TYPES_
#define NSOP_KERNELS_CONV_MEAN_TYPES_
namespace nsop::kernels {

// The inputs along an axis that a tap meets: first + i * stride for i < count.
struct TapWindow {
  size_t first;
  size_t count;
};

// A plane of x or dx, [depth, height, width], and the windows of its axes' taps.
struct TapPlane {
  const ConvShape& shape;
  const TapWindow* slices;   // [kernel depth]
  const TapWindow* rows;     // [kernel height]
  const TapWindow* columns;  // [kernel width]
  float* line;               // [width], for the function's own use
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// to[i] = the sum over the lines in two windows of plane[slice][row][i], i < kVectors * kLanes, or
// if kMasked i < count.
template <size_t kVectors, bool kMasked>
HWY_INLINE void sum_lines(const TapPlane& p, const TapWindow& slices, const TapWindow& rows,
                          const float* plane, size_t count, float* to) {
  const FloatTag d;
  const auto& [depth, height, width] = p.shape.axes;
  FloatVec sum[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (size_t i = 0; i < slices.count; ++i) {
    const size_t slice = slices.first + i * depth.stride;
    const float* from = plane + (slice * height.in + rows.first) * width.in;
    for (size_t j = 0; j < rows.count; ++j, from += height.stride * width.in) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        sum[v] =
            hn::Add(sum[v], kMasked ? load_n(d, from, count) : hn::LoadU(d, from + v * kLanes));
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    if (kMasked) {
      store_n(sum[v], d, to, count);
    } else {
      hn::StoreU(sum[v], d, to + v * kLanes);
    }
  }
}

// The same for whole lines.
void sum_whole_lines(const TapPlane& p, const TapWindow& slices, const TapWindow& rows,
                     const float* plane, float* to) {
  const size_t width = p.shape.width().in;
  size_t at = 0;
  for (; at + 4 * kLanes <= width; at += 4 * kLanes) {
    sum_lines<4, false>(p, slices, rows, plane + at, 0, to + at);
  }
  for (; at + kLanes <= width; at += kLanes) {
    sum_lines<1, false>(p, slices, rows, plane + at, 0, to + at);
  }
  if (at < width) sum_lines<1, true>(p, slices, rows, plane + at, width - at, to + at);
}

// sums[tap] = the sum of x over the tap's window, divided by the pixels of the output. An addition
// per input, tap of the depth and tap of the height.
void sum_windows(const TapPlane& p, const float* x, float* sums) {
  const auto& [depth, height, width] = p.shape.axes;
  const auto pixels = static_cast<float>(p.shape.out_pixels());
  for (size_t kd = 0; kd < depth.kernel; ++kd) {
    for (size_t kh = 0; kh < height.kernel; ++kh) {
      const float* line = p.line;
      if (p.slices[kd].count * p.rows[kh].count == 1) {
        line = x + (p.slices[kd].first * height.in + p.rows[kh].first) * width.in;
      } else {
        sum_whole_lines(p, p.slices[kd], p.rows[kh], x, p.line);
      }
      for (size_t kw = 0; kw < width.kernel; ++kw) {
        const TapWindow& columns = p.columns[kw];
        float sum = 0.0f;
        if (width.stride == 1) {
          sum = sum_of(line + columns.first, columns.count);
        } else {
          const float* from = line + columns.first;
          for (size_t i = 0; i < columns.count; ++i) sum += from[i * width.stride];
        }
        *sums++ = sum / pixels;
      }
    }
  }
}

HWY_INLINE void add_value(float value, float* to, size_t count) {
  const FloatTag d;
  const FloatVec v = hn::Set(d, value);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::Add(hn::LoadU(d, to + i), v), d, to + i);
  if (i < count) store_n(hn::Add(load_n(d, to + i, count - i), v), d, to + i, count - i);
}

HWY_INLINE void add_line(const float* from, float* to, size_t count) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  }
  if (i == count) return;
  const size_t rest = count - i;
  store_n(hn::Add(load_n(d, to + i, rest), load_n(d, from + i, rest)), d, to + i, rest);
}

// line[i] = the sum of a row of taps, q[kernel width], over those in whose windows i lies, divided
// by the pixels of the output.
void spread_row(const TapPlane& p, const float* q, float* line) {
  const ConvAxis& width = p.shape.width();
  const auto pixels = static_cast<float>(p.shape.out_pixels());
  std::fill_n(line, width.in, 0.0f);
  for (size_t kw = 0; kw < width.kernel; ++kw) {
    float* to = line + p.columns[kw].first;
    const float value = q[kw] / pixels;
    if (width.stride == 1) {
      add_value(value, to, p.columns[kw].count);
    } else {
      for (size_t i = 0; i < p.columns[kw].count; ++i) to[i * width.stride] += value;
    }
  }
}

// dx = the sums of q[taps] over the taps in whose windows an input lies, divided by the pixels of
// the output. An addition per input, tap of the depth and tap of the height.
void spread_taps(const TapPlane& p, const float* q, float* dx) {
  const auto& [depth, height, width] = p.shape.axes;
  if (depth.kernel * height.kernel == 1 && p.slices[0].count * p.rows[0].count == 1 &&
      depth.in * height.in == 1) {
    return spread_row(p, q, dx);
  }
  std::fill_n(dx, p.shape.in_pixels(), 0.0f);
  for (size_t kd = 0; kd < depth.kernel; ++kd) {
    for (size_t kh = 0; kh < height.kernel; ++kh, q += width.kernel) {
      spread_row(p, q, p.line);
      for (size_t i = 0; i < p.slices[kd].count; ++i) {
        const size_t slice = p.slices[kd].first + i * depth.stride;
        float* to = dx + (slice * height.in + p.rows[kh].first) * width.in;
        for (size_t j = 0; j < p.rows[kh].count; ++j, to += height.stride * width.in) {
          add_line(p.line, to, width.in);
        }
      }
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using Out = std::span<float>;

HWY_EXPORT(sum_windows);
HWY_EXPORT(spread_taps);

// dw of one group from window sums [batch, in_channels * taps].
Gemm weights_product(const ConvShape& s) {
  Gemm g;
  g.m = s.group_out();
  g.n = s.patch();
  g.k = s.batch;
  g.lda = s.out_channels;
  g.a_transposed = true;
  g.ldb = s.in_channels * s.taps();
  g.ldc = g.n;
  return g;
}

// What each tap carries, [batch, in_channels * taps], of one group.
Gemm data_product(const ConvShape& s) {
  Gemm g;
  g.m = s.batch;
  g.n = s.patch();
  g.k = s.group_out();
  g.lda = s.out_channels;
  g.ldb = g.n;
  g.ldc = s.in_channels * s.taps();
  return g;
}

constexpr size_t kWindowFloats = sizeof(TapWindow) / sizeof(float);

size_t windows_floats(const ConvShape& s) {
  return aligned_floats(kWindowFloats * (s.depth().kernel + s.height().kernel + s.width().kernel));
}

// The windows of all taps, and room for a line per thread.
class TapPlanes {
 public:
  TapPlanes(const ConvShape& s, float* workspace)
      : s_(s),
        windows_(reinterpret_cast<TapWindow*>(workspace)),
        lines_(workspace + windows_floats(s)) {
    const ConvAxes axes = input_axes(s);
    TapWindow* window = windows_;
    for (const PatchAxis& axis : axes) {
      for (size_t tap = 0; tap < axis.kernel; ++tap, ++window) {
        const Range outs = outputs_inside(axis, tap, {0, axis.out});
        *window = {0, outs.size()};
        if (outs.size() == 0) continue;
        const auto shift = static_cast<ptrdiff_t>(tap * axis.dilation) - axis.pad;
        window->first =
            static_cast<size_t>(static_cast<ptrdiff_t>(outs.begin * axis.stride) + shift);
      }
    }
  }

  static size_t floats(const ConvShape& s, size_t threads) {
    return windows_floats(s) + threads * aligned_floats(s.width().in);
  }

  // Calls fn(plane, index) for all planes of x or dx, on as many threads as that is worth.
  template <class Fn>
  void for_each(ThreadPool& thread_pool, Fn&& fn) const {
    const size_t additions = s_.in_pixels() * s_.depth().kernel * s_.height().kernel;
    parallel_units(thread_pool, s_.batch * s_.in_channels, additions, kReducedElements,
                   [&](size_t begin, size_t end, size_t part) {
                     const TapWindow* rows = windows_ + s_.depth().kernel;
                     const TapPlane plane{s_, windows_, rows, rows + s_.height().kernel,
                                          lines_ + part * aligned_floats(s_.width().in)};
                     for (size_t i = begin; i < end; ++i) fn(plane, i);
                   });
  }

 private:
  const ConvShape& s_;
  TapWindow* windows_;
  float* lines_;
};

size_t taps_floats(const ConvShape& s) {
  return aligned_floats(s.batch * s.in_channels * s.taps());
}

bool is_mean(const ConvShape& s) { return s.mean; }

// Floats of workspace that both gradients need.
size_t mean_gradient_floats(const ConvShape& s, int threads) {
  return taps_floats(s) + TapPlanes::floats(s, static_cast<size_t>(threads)) +
         std::max(gemm_workspace_floats(weights_product(s), threads),
                  gemm_workspace_floats(data_product(s), threads));
}

// As many threads work as there is work for.
void mean_data(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  assert(workspace.size() >= mean_gradient_floats(s, thread_pool.threads()));
  float* taps = workspace.data();
  const Out rest = workspace.subspan(taps_floats(s));
  for (size_t group = 0; group < s.groups; ++group) {
    Gemm g = data_product(s);
    g.a = t.dy.data() + group * s.group_out();
    g.b = t.w.data() + group * s.group_out() * s.patch();
    g.c = taps + group * s.patch();
    gemm(g, rest, thread_pool);
  }
  TapPlanes(s, rest.data()).for_each(thread_pool, [&](const TapPlane& plane, size_t i) {
    HWY_DYNAMIC_DISPATCH(spread_taps)(plane, taps + i * s.taps(), t.dx.data() + i * s.in_pixels());
  });
}

void mean_weights(const ConvShape& s, const ConvTensors& t, Out workspace,
                  ThreadPool& thread_pool) {
  assert(workspace.size() >= mean_gradient_floats(s, thread_pool.threads()));
  float* taps = workspace.data();
  const Out rest = workspace.subspan(taps_floats(s));
  TapPlanes(s, rest.data()).for_each(thread_pool, [&](const TapPlane& plane, size_t i) {
    HWY_DYNAMIC_DISPATCH(sum_windows)(plane, t.x.data() + i * s.in_pixels(), taps + i * s.taps());
  });
  for (size_t group = 0; group < s.groups; ++group) {
    Gemm g = weights_product(s);
    g.a = t.dy.data() + group * s.group_out();
    g.b = taps + group * s.patch();
    g.c = t.dw.data() + group * s.group_out() * s.patch();
    gemm(g, rest, thread_pool);
  }
}

std::string mean_gradient_algorithm(const ConvShape& /*shape*/) {
  return "one gradient per channel, sums of windows";
}

}  // namespace

constinit const ConvWay kMeanData = {.name = "mean",
                                     .pass = ConvPass::kData,
                                     .pays = is_mean,
                                     .floats = mean_gradient_floats,
                                     .run = mean_data,
                                     .describe = mean_gradient_algorithm,
                                     .threads = all_threads};
constinit const ConvWay kMeanWeights = {.name = "mean",
                                        .pass = ConvPass::kWeights,
                                        .pays = is_mean,
                                        .floats = mean_gradient_floats,
                                        .run = mean_weights,
                                        .describe = mean_gradient_algorithm,
                                        .threads = all_threads};

}  // namespace nsop::kernels
#endif  // HWY_ONCE
