// The gradient of the data of a convolution with strides, without products that are scattered: the
// inputs whose positions leave the same remainders by the strides, a phase, meet the same taps of
// the kernel, and those are a dense convolution of dy with stride 1. Phases of a line are computed
// apart and then interleaved. Its rows are declared in rows.h.
#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/conv/shape/units.h"
#include "kernels/conv/ways/lines_tiles.h"
#include "kernels/conv/ways/phase_plan.h"
#include "kernels/conv/ways/phase_way.h"
#include "kernels/conv/ways/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/phases.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/transpose-inl.h"
#include "kernels/runtime/vec-inl.h"

#ifndef NSOP_KERNELS_CONV_PHASES_TYPES_
#define NSOP_KERNELS_CONV_PHASES_TYPES_
namespace nsop::kernels {

// Every stride-th float of the lines of a tensor, from the first-th on.
struct PhaseLines {
  const float* floats = nullptr;  // [lines][width], with 16 floats to read behind them; null: zeros
  size_t width = 0;
};

// Lines of dx whose phases are interleaved: [channels][slices][rows] of them.
struct InterleavedLines {
  const PhaseLines* phases;
  size_t stride;  // of the width
  size_t width;
  size_t slices, rows;
  float* to;
  size_t channel_step, slice_step, row_step;  // floats from one to the next
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

void transpose_filter(const float* src, size_t channels, size_t taps, float* dst) {
  transpose(src, taps, channels, taps, dst, channels);
}

// Line i of a phase.
HWY_INLINE const float* line_of(const PhaseLines& phase, size_t i) {
  return phase.floats == nullptr ? nullptr : phase.floats + i * phase.width;
}

// Calls fn(i, line of dx) for the lines of some channels.
template <class Fn>
HWY_INLINE void for_each_line(const InterleavedLines& lines, Range channels, Fn&& fn) {
  size_t i = channels.begin * lines.slices * lines.rows;
  for (size_t c = channels.begin; c < channels.end; ++c) {
    for (size_t slice = 0; slice < lines.slices; ++slice) {
      float* to = lines.to + c * lines.channel_step + slice * lines.slice_step;
      for (size_t row = 0; row < lines.rows; ++row, ++i, to += lines.row_step) fn(i, to);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// to[2 i] = even[i], to[2 i + 1] = odd[i], `width` floats in all.
void interleave_two(const InterleavedLines& lines, Range channels) {
  constexpr size_t kHalf = kLanes / 2;
  const FloatTag d;
  HWY_ALIGN int32_t lanes[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = static_cast<int32_t>(lane / 2 + lane % 2 * kHalf);
  }
  const auto order = hn::SetTableIndices(d, lanes);
  for_each_line(lines, channels, [&](size_t line, float* to) HWY_ATTR {
    const float* even = line_of(lines.phases[0], line);
    const float* odd = lines.width > 1 ? line_of(lines.phases[1], line) : nullptr;
    for (size_t i = 0; i < lines.width; i += 2 * kLanes) {
      const FloatVec a = even == nullptr ? hn::Zero(d) : hn::LoadU(d, even + i / 2);
      const FloatVec b = odd == nullptr ? hn::Zero(d) : hn::LoadU(d, odd + i / 2);
      const FloatVec low = hn::TableLookupLanes(hn::ConcatLowerLower(d, b, a), order);
      const FloatVec high = hn::TableLookupLanes(hn::ConcatUpperUpper(d, b, a), order);
      const size_t left = lines.width - i;
      if (left >= 2 * kLanes) {
        hn::StoreU(low, d, to + i);
        hn::StoreU(high, d, to + i + kLanes);
      } else if (left > kLanes) {
        hn::StoreU(low, d, to + i);
        store_n(high, d, to + i + kLanes, left - kLanes);
      } else {
        store_n(low, d, to + i, left);
      }
    }
  });
}
#endif

void interleave_lines(const InterleavedLines& lines, Range channels) {
#if HWY_TARGET != HWY_SCALAR
  if (lines.stride == 2) return interleave_two(lines, channels);
#endif
  for_each_line(lines, channels, [&](size_t line, float* to) HWY_ATTR {
    for (size_t first = 0; first < HWY_MIN(lines.stride, lines.width); ++first) {
      const PhaseLines& phase = lines.phases[first];
      const float* from = line_of(phase, line);
      if (lines.stride == 1 && from != nullptr) {
        copy_floats(from, to, lines.width);
        continue;
      }
      for (size_t j = 0; j < phase.width; ++j) {
        to[first + j * lines.stride] = from == nullptr ? 0.0f : from[j];
      }
    }
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

HWY_EXPORT(interleave_lines);
HWY_EXPORT(transpose_filter);

// The weights of all phases, from some filters.
void sort_weights(const ConvShape& s, In w, std::span<const Phase> phases, Range filters,
                  float* transposed, float* to) {
  const size_t outs = s.group_out();
  size_t count = 0;
  for (size_t o = filters.begin; o < filters.end; o += count) {
    const size_t of_group = outs == 1 ? FilterBlock::kMost : outs - o % outs;
    count = std::min({FilterBlock::kMost, filters.end - o, of_group});
    const FilterBlock block{{o, o + count}, w.data() + o * s.patch(), transposed};
    bool ready = false;  // are the filters of the block transposed?
    for (const Phase& phase : phases) {
      if (phase.taps() == 0) continue;
      const PhaseWay& way = *phase.way;
      for (size_t i = 0; way.transposed && !ready && i < count; ++i) {
        HWY_DYNAMIC_DISPATCH(transpose_filter)
        (block.weights + i * s.patch(), s.group_in(), s.taps(), transposed + i * s.patch());
      }
      ready = ready || way.transposed;
      way.sort(s, phase, block, to + phase.weights);
    }
  }
}

// What all images share: the phases, their weights, and of each thread transposed filters.
struct SharedFloats {
  size_t phases, weights, transposed;

  explicit SharedFloats(const ConvShape& s)
      : phases(aligned_floats(phase_count(s) * sizeof(Phase) / sizeof(float) + 1)),
        weights(aligned_floats(s.out_channels * s.patch())),
        transposed(aligned_floats(FilterBlock::kMost * s.patch())) {}
  size_t all(int threads) const {
    return phases + weights + static_cast<size_t>(threads) * transposed;
  }
};

size_t lines_floats(const ConvShape& s) {
  return aligned_floats(s.width().stride * sizeof(PhaseLines) / sizeof(float));
}

size_t buffer_floats(const ConvShape& s, const Phase& phase) {
  return aligned_floats(s.in_channels * phase.pixels() + 16);
}

// What some groups of one image need: the phases of some lines, and the products' workspace.
size_t part_floats(const ConvShape& s, int threads) {
  size_t most = 0;
  size_t floats = 0;
  size_t products = 0;
  for_each_phase(s, [&](const Phase& phase) {
    if (phase.axes[2].first == 0) floats = 0;
    floats += buffer_floats(s, phase);
    most = std::max(most, floats);
    if (phase.taps() == 0) return;
    products = std::max(products, phase.way->floats(s, phase, threads));
  });
  return lines_floats(s) + most + products;
}

// Groups [first_group, first_group + s.groups) of one image.
class PhasedGroups {
 public:
  PhasedGroups(const ConvShape& s, size_t first_group, std::span<const Phase> phases,
               const float* weights, In dy, Out dx, Out workspace, ThreadPool& thread_pool)
      : s_(s),
        first_group_(first_group),
        phases_(phases),
        weights_(weights),
        dy_(dy),
        dx_(dx),
        thread_pool_(thread_pool) {
    lines_ = reinterpret_cast<PhaseLines*>(workspace.data());
    rest_ = workspace.subspan(lines_floats(s));
  }

  // Line after line of phases.
  void run() const {
    const size_t count = phases_of(s_.width());
    for (size_t first = 0; first < phases_.size(); first += count) {
      Out rest = rest_;
      for (const Phase& phase : phases_.subspan(first, count)) {
        lines_[phase.axes[2].first] = {phase.taps() == 0 ? nullptr : rest.data(),
                                       phase.axes[2].inputs()};
        rest = rest.subspan(buffer_floats(s_, phase));
      }
      for (size_t i = 0; i < count; ++i) {
        const Phase& phase = phases_[first + i];
        if (phase.taps() > 0) multiply(phase, const_cast<float*>(lines_[i].floats), rest);
      }
      interleave(phases_[first]);
    }
  }

 private:
  void multiply(const Phase& phase, float* to, Out workspace) const {
    const float* weights =
        weights_ + phase.weights + first_group_ * s_.group_in() * s_.group_out() * phase.taps();
    const Out lines(to, s_.groups * s_.group_in() * phase.pixels());
    phase.way->run(s_, phase, {dy_, weights, lines}, workspace, thread_pool_);
  }

  // The lines of dx that have the phase's depth and height.
  void interleave(const Phase& phase) const {
    const auto& [depth, height, width] = s_.axes;
    const size_t slice = height.in * width.in;
    const InterleavedLines lines{
        .phases = lines_,
        .stride = width.stride,
        .width = width.in,
        .slices = phase.axes[0].inputs(),
        .rows = phase.axes[1].inputs(),
        .to = dx_.data() + phase.axes[0].first * slice + phase.axes[1].first * width.in,
        .channel_step = depth.in * slice,
        .slice_step = depth.stride * slice,
        .row_step = height.stride * width.in};
    const auto threads = static_cast<size_t>(thread_pool_.threads());
    thread_pool_.parallel(thread_pool_.threads(), [&](int part, int) {
      HWY_DYNAMIC_DISPATCH(interleave_lines)
      (lines, split_range(s_.in_channels, 1, threads, static_cast<size_t>(part)));
    });
  }

  const ConvShape& s_;
  size_t first_group_;
  std::span<const Phase> phases_;
  const float* weights_;
  In dy_;
  Out dx_;
  ThreadPool& thread_pool_;
  PhaseLines* lines_;  // of the phases of a line
  Out rest_;
};

// Some stride is larger than 1, the output isn't averaged, and there are a third as many input as
// output channels, or lines of a phase fill their vectors by three quarters.
bool phases_pay(const ConvShape& s) {
  if (s.mean || s.all_axes([](const ConvAxis& a) { return a.stride == 1; })) return false;
  const size_t width = (s.width().in + s.width().stride - 1) / s.width().stride;
  return 3 * s.group_in() >= s.group_out() || fills_vectors(width, line_target().lanes);
}

size_t phases_floats(const ConvShape& s, int threads) {
  return SharedFloats(s).all(threads) +
         units_workspace(s.batch * group_parts(s, threads), threads, [&](int count) {
           const Range largest = split_range(s.groups, 1, group_parts(s, threads), 0);
           return part_floats(some_groups(s, largest.size()), count);
         });
}

void phases_data(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  assert(workspace.size() >= phases_floats(s, thread_pool.threads()));
  const SharedFloats shared(s);
  auto* list = reinterpret_cast<Phase*>(workspace.data());
  size_t count = 0;
  for_each_phase(s, [&](const Phase& phase) { list[count++] = phase; });
  const std::span<const Phase> phases(list, count);
  float* weights = workspace.data() + shared.phases;
  const auto threads = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const auto i = static_cast<size_t>(part);
    sort_weights(s, t.w, phases, split_range(s.out_channels, 1, threads, i),
                 weights + shared.weights + i * shared.transposed, weights);
  });
  const size_t parts = group_parts(s, thread_pool.threads());
  const size_t in = s.group_in() * s.in_pixels();
  const size_t out = s.group_out() * s.out_pixels();
  for_each_unit(s.batch * parts, workspace.subspan(shared.all(thread_pool.threads())), thread_pool,
                [&](size_t unit, Out own, ThreadPool& part_threads) {
                  const Range mine = split_range(s.groups, 1, parts, unit % parts);
                  const ConvShape part = some_groups(s, mine.size());
                  const size_t plane = unit / parts * s.groups + mine.begin;
                  PhasedGroups(part, mine.begin, phases, weights,
                               t.dy.subspan(plane * out, part.groups * out),
                               t.dx.subspan(plane * in, part.groups * in), own, part_threads)
                      .run();
                });
}

// E.g. `4 phases of padded lines 6x64`. The phase with the most taps tells its way.
std::string phases_algorithm(const ConvShape& s) {
  std::string of;
  size_t most = 0;  // taps of a phase: the largest is what counts
  for_each_phase(s, [&](const Phase& phase) {
    if (phase.taps() <= most) return;
    most = phase.taps();
    of = phase.way->describe(s, phase);
  });
  return std::to_string(phase_count(s)) + " phases of " + of;
}

}  // namespace

constinit const ConvWay kPhasesData = {.name = "phases",
                                       .pass = ConvPass::kData,
                                       .pays = phases_pay,
                                       .floats = phases_floats,
                                       .run = phases_data,
                                       .describe = phases_algorithm};

}  // namespace nsop::kernels
#endif  // HWY_ONCE
