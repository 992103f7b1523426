// From how much work on a convolution is shared out to threads.
#pragma once

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// The threads that a pass is worth, all of the pool or the calling one: of the textbook's products
// and of Winograd's.
ThreadPool& direct_threads(const ConvShape& shape, ConvPass pass, ThreadPool& thread_pool);
ThreadPool& winograd_threads(const ConvShape& shape, ConvPass pass, ThreadPool& thread_pool);

// All threads, for a way that shares out each of its parts by the work in it.
ThreadPool& all_threads(const ConvShape& shape, ConvPass pass, ThreadPool& thread_pool);

}  // namespace nsop::kernels
