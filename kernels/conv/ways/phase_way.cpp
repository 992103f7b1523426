#include "kernels/conv/ways/phase_way.h"

#include "kernels/conv/shape/patches.h"
#include "kernels/conv/ways/lines.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {
namespace {

using Out = std::span<float>;

size_t by_lines_floats(const ConvShape& s, const Phase& phase, int threads) {
  const LineLayer l = phase.layer(s);
  return line_way(l).floats(l, threads);
}

void run_by_lines(const ConvShape& s, const Phase& phase, const PhaseTensors& t, Out workspace,
                  ThreadPool& pool) {
  const LineLayer l = phase.layer(s);
  line_way(l).run(l, t.dy, t.weights, {}, t.to, workspace, pool);
}

std::string by_lines_algorithm(const ConvShape& s, const Phase& phase) {
  const LineLayer l = phase.layer(s);
  return line_way(l).describe(l);
}

size_t by_products_floats(const ConvShape& s, const Phase& phase, int threads) {
  return gemm_workspace_floats(phase_gemm(s, phase, patches_of(phase.layer(s))), threads);
}

void run_by_products(const ConvShape& s, const Phase& phase, const PhaseTensors& t, Out workspace,
                     ThreadPool& pool) {
  Patches patches = patches_of(phase.layer(s));
  for (size_t group = 0; group < s.groups; ++group) {
    patches.image = t.dy.data() + group * s.group_out() * s.out_pixels();
    Gemm g = phase_gemm(s, phase, patches);
    g.a = t.weights + group * g.m * g.k;
    g.b = patches.image;
    g.c = t.to.data() + group * s.group_in() * phase.pixels();
    gemm(g, workspace, pool);
  }
}

std::string by_products_algorithm(const ConvShape& s, const Phase& phase) {
  return gemm_algorithm(phase_gemm(s, phase, patches_of(phase.layer(s))));
}

}  // namespace

const PhaseWay& phase_way(const Phase& phase) {
  static constexpr PhaseWay kByLines{by_lines_floats, run_by_lines, by_lines_algorithm};
  static constexpr PhaseWay kByProducts{by_products_floats, run_by_products, by_products_algorithm};
  return phase.by_lines ? kByLines : kByProducts;
}

}  // namespace nsop::kernels
