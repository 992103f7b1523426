// From how much work on a convolution is shared out to threads.
#pragma once

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// The threads that a pass is worth: all of the pool, or the calling one. The first is for the
// textbook's products; the gradients of a mean, without a product per pixel, get all threads from
// it and decide for themselves.
ThreadPool& direct_threads(const ConvShape& shape, ConvPass pass, ThreadPool& thread_pool);
ThreadPool& winograd_threads(const ConvShape& shape, ConvPass pass, ThreadPool& thread_pool);

}  // namespace nsop::kernels
