// Sums over and additions to whole channels: the bias of a convolution and its gradient.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// dbias = the sums of dy over images and pixels.
void conv_backward_bias(const ConvShape& shape, std::span<const float> dy, std::span<float> dbias,
                        ThreadPool& thread_pool);

// Of tensor [images, channels, pixels], channels being the size of `sums` or `bias`: the sums over
// images and pixels, or the addition of a value to each pixel of a channel.
void sum_channels(std::span<const float> tensor, size_t pixels, std::span<float> sums,
                  ThreadPool& thread_pool);
void add_channel_bias(std::span<const float> bias, size_t pixels, std::span<float> tensor,
                      ThreadPool& thread_pool);

}  // namespace nsop::kernels
