// From how much work on a convolution is shared out to threads.
#pragma once

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/pool.h"

namespace nsop::kernels {

// The pool that a pass is worth: the given one, or the serial one. The first is for the textbook's
// products; the gradients of a mean, without a product per pixel, get the given pool from it and
// decide for themselves.
Pool& direct_pool(const ConvShape& shape, ConvPass pass, Pool& pool);
Pool& winograd_pool(const ConvShape& shape, ConvPass pass, Pool& pool);

}  // namespace nsop::kernels
