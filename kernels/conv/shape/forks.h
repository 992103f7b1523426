// From how much work on a convolution is shared out to threads.
#pragma once

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// The pool that a pass is worth: the given one, or the serial one. The first is for the textbook's
// products; the gradients of a mean, without a product per pixel, get the given pool from it and
// decide for themselves.
ThreadPool& direct_pool(const ConvShape& shape, ConvPass pass, ThreadPool& pool);
ThreadPool& winograd_pool(const ConvShape& shape, ConvPass pass, ThreadPool& pool);

}  // namespace nsop::kernels
