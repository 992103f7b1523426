// Rows of a table picked by index, and the gradient of the table. Contiguous float32.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// A table w [vocab, dim]; indices are integers in [0, vocab) as floats (assert).
struct Embedding {
  size_t vocab = 0;
  size_t dim = 0;
};

// Where the first index is that isn't an integer in [0, vocab), vocab <= 2^24; index.size() when
// all are.
size_t embedding_wrong_index(const Embedding& table, std::span<const float> index);

// y [rows, dim]: row i is row index[i] of w. `index` has as many elements as y has rows.
void embedding_forward(const Embedding& table, std::span<const float> index,
                       std::span<const float> w, std::span<float> y, ThreadPool& thread_pool);

// dw [vocab, dim]: row v is the sum of the rows of dy [rows, dim] whose index is v, in their order
// whatever the number of threads.
void embedding_backward(const Embedding& table, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dw, ThreadPool& thread_pool);

}  // namespace nsop::kernels
