// The rows (rows.h) of Winograd's minimal filtering, which is in kernels/conv/winograd.
#include "kernels/conv/winograd/winograd.h"

#include "kernels/conv/ways/rows.h"

namespace nsop::kernels {
namespace {

using Out = std::span<float>;

template <ConvPass kPass>
bool pays(const ConvShape& s) {
  return winograd_pays(s, kPass);
}

template <ConvPass kPass>
size_t floats(const ConvShape& s, int threads) {
  return winograd_workspace_floats(s, kPass, threads);
}

void forward(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  winograd_forward(s, t.x, t.w, t.bias, t.y, workspace, thread_pool);
}

void data(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  winograd_backward_data(s, t.w, t.dy, t.dx, workspace, thread_pool);
}

void weights(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  winograd_backward_weights(s, t.x, t.dy, t.dw, workspace, thread_pool);
}

std::string algorithm(const ConvShape& s) {
  if (s.height().kernel == 1) return "winograd F(4,3)";
  return s.depth().kernel == 1 ? "winograd F(4x4,3x3)" : "winograd F(4x4,3x3) of slices";
}

}  // namespace

constinit const ConvWay kWinogradForward = {.name = "winograd",
                                            .pass = ConvPass::kForward,
                                            .pays = pays<ConvPass::kForward>,
                                            .floats = floats<ConvPass::kForward>,
                                            .run = forward,
                                            .describe = algorithm,
                                            .threads = winograd_threads};
constinit const ConvWay kWinogradData = {.name = "winograd",
                                         .pass = ConvPass::kData,
                                         .pays = pays<ConvPass::kData>,
                                         .floats = floats<ConvPass::kData>,
                                         .run = data,
                                         .describe = algorithm,
                                         .threads = winograd_threads};
constinit const ConvWay kWinogradWeights = {.name = "winograd",
                                            .pass = ConvPass::kWeights,
                                            .pays = pays<ConvPass::kWeights>,
                                            .floats = floats<ConvPass::kWeights>,
                                            .run = weights,
                                            .describe = algorithm,
                                            .threads = winograd_threads};

}  // namespace nsop::kernels
