// The bias of convolutions: values per channel, added to pixels or summed over them.
#include "kernels/conv/ways/bias.h"

#include "kernels/conv/shape/patches.h"

namespace nsop::kernels {

using In = std::span<const float>;
using Out = std::span<float>;

void conv_backward_bias(const ConvShape& s, In dy, Out dbias, ThreadPool& thread_pool) {
  sum_channels(dy, s.mean ? 1 : s.out_pixels(), dbias, thread_pool);
}

void sum_channels(In tensor, size_t pixels, Out sums, ThreadPool& thread_pool) {
  const size_t channels = sums.size();
  const size_t images = tensor.size() / (channels * pixels);
  const auto parts = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const Range range = split_range(channels, 1, parts, static_cast<size_t>(part));
    for (size_t image = 0; image < images; ++image) {
      const size_t first = image * channels + range.begin;
      add_row_sums(tensor.subspan(first * pixels, range.size() * pixels), pixels, image > 0,
                   sums.subspan(range.begin, range.size()));
    }
  });
}

void add_channel_bias(In bias, size_t pixels, Out tensor, ThreadPool& thread_pool) {
  const size_t planes = tensor.size() / pixels;
  const auto parts = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const Range range = split_range(planes, 1, parts, static_cast<size_t>(part));
    for (size_t i = range.begin; i < range.end; ++i) {
      add_constant(bias[i % bias.size()], tensor.subspan(i * pixels, pixels));
    }
  });
}

}  // namespace nsop::kernels
