#include "kernels/conv/ways/phase_way.h"

#include <algorithm>

#include "kernels/conv/shape/patches.h"
#include "kernels/conv/ways/lines.h"
#include "kernels/conv/ways/planes.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {
namespace {

using Out = std::span<float>;

// To [in channels][group's out channels][taps].
void sort_for_lines(const ConvShape& s, const Phase& phase, const FilterBlock& block, float* to) {
  const size_t taps = phase.taps();
  const size_t outs = s.group_out();
  const size_t step = outs == 1 ? s.group_in() * taps : taps;  // from filter to filter
  const size_t begin = block.filters.begin;
  const size_t count = std::min(block.filters.size(), FilterBlock::kMost);  // is unrolled
  float* first = to + (begin / outs * s.group_in() * outs + begin % outs) * taps;
  for_each_tap(s, phase, [&](size_t i, size_t tap) {
    for (size_t c = 0; c < s.group_in(); ++c) {  // rows may share a set of the cache: few visits
      float* at = first + c * outs * taps + i;
      const float* filter = block.weights + c * s.taps() + tap;
      for (size_t o = 0; o < count; ++o) at[o * step] = filter[o * s.patch()];
    }
  });
}

template <const LineWay& kWay>
size_t by_lines_floats(const ConvShape& s, const Phase& phase, int threads) {
  return kWay.floats(phase.layer(s), threads);
}

template <const LineWay& kWay>
void run_by_lines(const ConvShape& s, const Phase& phase, const PhaseTensors& t, Out workspace,
                  ThreadPool& thread_pool) {
  kWay.run(phase.layer(s), t.dy, t.weights, {}, t.to, workspace, thread_pool);
}

template <const LineWay& kWay>
std::string by_lines_algorithm(const ConvShape& s, const Phase& phase) {
  return kWay.describe(phase.layer(s));
}

// A product with patches doesn't pay for few rows of weights.
bool lines_pay(const LineLayer& l) { return l.outs < 8 || (l.taps() > 1 && kPaddedLines.pays(l)); }

// To [out channels][taps][group's in channels].
void sort_for_products(const ConvShape& s, const Phase& phase, const FilterBlock& block,
                       float* to) {
  const size_t channels = s.group_in();
  const size_t patch = s.patch();
  const size_t floats = phase.taps() * channels;  // of a filter
  const float* from = block.transposed;
  for (size_t o = block.filters.begin; o < block.filters.end; ++o, from += patch) {
    float* at = to + o * floats;
    for_each_tap(s, phase, [&](size_t i, size_t tap) {
      std::copy_n(from + tap * channels, channels, at + i * channels);
    });
  }
}

size_t by_products_floats(const ConvShape& s, const Phase& phase, int threads) {
  return gemm_workspace_floats(phase_gemm(s, phase, patches_of(phase.layer(s))), threads);
}

void run_by_products(const ConvShape& s, const Phase& phase, const PhaseTensors& t, Out workspace,
                     ThreadPool& thread_pool) {
  Patches patches = patches_of(phase.layer(s));
  for (size_t group = 0; group < s.groups; ++group) {
    patches.image = t.dy.data() + group * s.group_out() * s.out_pixels();
    Gemm g = phase_gemm(s, phase, patches);
    g.a = t.weights + group * g.m * g.k;
    g.b = patches.image;
    g.c = t.to.data() + group * s.group_in() * phase.pixels();
    gemm(g, workspace, thread_pool);
  }
}

std::string by_products_algorithm(const ConvShape& s, const Phase& phase) {
  return gemm_algorithm(phase_gemm(s, phase, patches_of(phase.layer(s))));
}

constexpr PhaseWay kPhaseWays[] = {
    {.name = "planes",
     .pays = planes_pay,
     .sort = sort_for_lines,
     .floats = by_lines_floats<kPlaneLines>,
     .run = run_by_lines<kPlaneLines>,
     .describe = by_lines_algorithm<kPlaneLines>},
    {.name = "lines",
     .pays = lines_pay,
     .sort = sort_for_lines,
     .floats = by_lines_floats<kPaddedLines>,
     .run = run_by_lines<kPaddedLines>,
     .describe = by_lines_algorithm<kPaddedLines>},
    {.name = "products",
     .pays = [](const LineLayer&) { return true; },
     .transposed = true,
     .sort = sort_for_products,
     .floats = by_products_floats,
     .run = run_by_products,
     .describe = by_products_algorithm},
};

}  // namespace

std::span<const PhaseWay> phase_ways() { return kPhaseWays; }

const PhaseWay& phase_way(const LineLayer& layer) { return first_that_pays(kPhaseWays, layer); }

}  // namespace nsop::kernels
