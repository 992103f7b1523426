#include "kernels/conv/shape/forks.h"

#include <array>
#include <cstddef>

#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

// Multiply-adds per thread of one kind of convolutions, from kernels/runtime/thresholds.h. The
// number for gradients is measured on both gradients, one after the other.
struct ConvForks {
  size_t forward;
  size_t gradients;
};

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

// By kind.
constexpr std::array<ConvForks, 7> kForks = {{
    {kConvMeanMacs, kReducedElements},
    {kDepthwiseMacs, kDepthwiseGradientMacs},
    {kOneChannelMacs, kOneChannel1DGradientMacs},
    {kOneChannelMacs, kOneChannelGradientMacs},
    {kConv1DMacs, kConv1DGradientMacs},
    {kConvMacs, kConvGradientMacs},
    {kConv3DMacs, kConv3DGradientMacs},
}};

// Winograd's, over one axis and over more.
constexpr std::array<ConvForks, 2> kWinogradForks = {{
    {kWinograd1DMacs, kWinograd1DGradientMacs},
    {kWinogradMacs, kWinogradGradientMacs},
}};

// Nominal multiply-adds of one pass.
size_t conv_macs(const ConvShape& s) {
  return s.batch * s.out_channels * s.out_pixels() * s.patch();
}

ThreadPool& worthwhile_threads(const ConvShape& s, ConvPass pass, const ConvForks& forks,
                               ThreadPool& thread_pool) {
  const size_t parts = pass == ConvPass::kForward
                           ? worthwhile_parts(thread_pool, conv_macs(s), forks.forward)
                           : worthwhile_parts(thread_pool, 2 * conv_macs(s), forks.gradients);
  return parts > 1 ? thread_pool : serial_threads();
}

}  // namespace

ThreadPool& direct_threads(const ConvShape& s, ConvPass pass, ThreadPool& thread_pool) {
  if (thread_pool.threads() == 1)
    return thread_pool;  // no divisions: this may be a matter of nanoseconds
  return worthwhile_threads(s, pass, kForks[static_cast<size_t>(kind_of(s))], thread_pool);
}

ThreadPool& all_threads(const ConvShape& /*shape*/, ConvPass /*pass*/, ThreadPool& thread_pool) {
  return thread_pool;
}

ThreadPool& winograd_threads(const ConvShape& s, ConvPass pass, ThreadPool& thread_pool) {
  if (thread_pool.threads() == 1) return thread_pool;
  return worthwhile_threads(s, pass, kWinogradForks[s.height().kernel == 1 ? 0 : 1], thread_pool);
}

}  // namespace nsop::kernels
