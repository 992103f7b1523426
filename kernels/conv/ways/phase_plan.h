// The phases of a convolution with strides: inputs whose positions leave the same remainders by the
// strides meet the same taps of the kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "kernels/conv/shape/lines_plan.h"
#include "kernels/conv/shape/patches.h"
#include "kernels/conv/shape/shape.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {

// One axis of a phase.
struct PhaseAxis {
  size_t first = 0;  // its inputs are first, first + stride, ...
  size_t taps = 0;   // of the kernel that meet them: the first, and every step-th after it
  size_t first_tap = 0;
  size_t tap_step = 1;
  PatchAxis from_dy;  // unless there are no taps; out: its inputs

  PhaseAxis(const ConvAxis& a, size_t position) : first(position) {
    from_dy = {.in = a.out(), .out = (a.in - first + a.stride - 1) / a.stride};
    tap_step = a.stride / std::gcd(a.stride, a.dilation);
    const auto meets = [&](size_t tap) {
      return (first + a.pad) % a.stride == tap * a.dilation % a.stride;
    };
    while (first_tap < std::min(tap_step, a.kernel) && !meets(first_tap)) ++first_tap;
    if (first_tap >= std::min(tap_step, a.kernel)) return;
    taps = (a.kernel - first_tap + tap_step - 1) / tap_step;
    // Input first + j stride meets output j + base - t dilation at its t-th tap.
    const auto signed_of = [](size_t i) { return static_cast<ptrdiff_t>(i); };
    const ptrdiff_t base =
        (signed_of(first + a.pad) - signed_of(first_tap * a.dilation)) / signed_of(a.stride);
    from_dy.kernel = taps;
    from_dy.dilation = a.dilation * tap_step / a.stride;
    from_dy.pad = signed_of((taps - 1) * from_dy.dilation) - base;
  }

  size_t inputs() const { return from_dy.out; }
  // Of the convolution from dy, whose kernel is flipped.
  size_t tap(size_t i) const { return first_tap + (taps - 1 - i) * tap_step; }
};

struct PhaseWay;  // phase_way.h

struct Phase {
  std::array<PhaseAxis, 3> axes;
  size_t weights = 0;             // floats before its weights
  const PhaseWay* way = nullptr;  // for the groups of any part of an image

  size_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
  size_t lines() const { return axes[0].inputs() * axes[1].inputs(); }
  size_t pixels() const { return lines() * axes[2].inputs(); }

  // dy -> the phase, all groups of one image.
  LineLayer layer(const ConvShape& s) const {
    LineLayer l;
    for (size_t i = 0; i < 3; ++i) l.axes[i] = axes[i].from_dy;
    l.groups = s.groups;
    l.channels = s.group_out();
    l.outs = s.group_in();
    return l;
  }
};

inline size_t phases_of(const ConvAxis& a) { return std::min(a.stride, a.in); }

inline size_t phase_count(const ConvShape& s) {
  return phases_of(s.depth()) * phases_of(s.height()) * phases_of(s.width());
}

// Does a phase of one tap meet every dy, which then lies in place?
inline bool is_plane(const PatchAxis& a) { return a.kernel == 1 && a.pad == 0 && a.in == a.out; }

// The patches of dy under the taps of a phase.
inline Patches patches_of(const LineLayer& l) {
  Patches patches;
  patches.axes = l.axes;
  return patches;
}

// The product of a phase of one group, with empty data pointers; `patches` must outlive it.
inline Gemm phase_gemm(const ConvShape& s, const Phase& phase, const Patches& patches) {
  Gemm g;
  g.m = s.group_in();
  g.n = phase.pixels();
  g.k = s.group_out() * phase.taps();
  g.lda = g.m;
  g.a_transposed = true;
  g.ldb = g.ldc = g.n;
  if (!std::all_of(patches.axes.begin(), patches.axes.end(), is_plane)) {
    g.b_source = patch_source(patches);
  }
  return g;
}

// The first way of the table of phase_way.cpp that pays for a phase, dy -> the phase, on the
// current target.
const PhaseWay& phase_way(const LineLayer& layer);

// Calls fn(phase) for all phases; the phases of a line follow each other.
template <class Fn>
void for_each_phase(const ConvShape& s, Fn&& fn) {
  const auto& [depth, height, width] = s.axes;
  size_t weights = 0;
  for (size_t d = 0; d < phases_of(depth); ++d) {
    for (size_t h = 0; h < phases_of(height); ++h) {
      for (size_t w = 0; w < phases_of(width); ++w) {
        Phase phase{{PhaseAxis(depth, d), PhaseAxis(height, h), PhaseAxis(width, w)}, weights};
        phase.way = &phase_way(phase.layer(s));
        fn(static_cast<const Phase&>(phase));
        weights += s.in_channels * s.group_out() * phase.taps();
      }
    }
  }
}

constexpr size_t kPhaseBudget = size_t{32} << 10;  // floats: half of a small L2

// Parts that the groups of an image are divided into, so that the phases of a part are still in the
// cache when they are interleaved: of at least two groups each, because a single plane goes another
// way than several, and so many that threads have equal shares of all images' parts.
inline size_t group_parts(const ConvShape& s, int threads) {
  const size_t at_once = std::max<size_t>(1, kPhaseBudget / (s.group_in() * s.in_pixels()));
  const size_t most = std::max<size_t>(1, s.groups / 2);
  const size_t wanted = std::min(most, (s.groups + at_once - 1) / at_once);
  const auto all = static_cast<size_t>(threads);
  if (s.batch % all == 0) return wanted;
  const size_t shared = (wanted + all - 1) / all * all;
  return shared <= most ? shared : std::max<size_t>(1, most / all * all);
}

inline ConvShape some_groups(const ConvShape& s, size_t count) {
  ConvShape part = s;
  part.groups = count;
  part.in_channels = count * s.group_in();
  part.out_channels = count * s.group_out();
  return part;
}

// Calls fn(i, tap) for the taps of a phase, as its convolution and as the kernel count them.
template <class Fn>
void for_each_tap(const ConvShape& s, const Phase& phase, Fn&& fn) {
  const auto& [depth, height, width] = phase.axes;
  size_t i = 0;
  for (size_t d = 0; d < depth.taps; ++d) {
    for (size_t h = 0; h < height.taps; ++h) {
      for (size_t k = 0; k < width.taps; ++k, ++i) {
        const size_t row = depth.tap(d) * s.height().kernel + height.tap(h);
        fn(i, row * s.width().kernel + width.tap(k));
      }
    }
  }
}

}  // namespace nsop::kernels
