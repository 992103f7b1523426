// What recurrent cells do between their matrix products. Tensors are contiguous float32: states
// [batch, hidden], gates [batch, gates * hidden], the gates of a row one after the other.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

struct CellShape {
  size_t batch = 0;
  size_t hidden = 0;
  size_t size() const { return batch * hidden; }
};

// Four gates i, f, g, o, not yet activated: c_next = sigmoid(f) c + sigmoid(i) tanh(g),
// h = sigmoid(o) tanh(c_next). c_next may be c.
void lstm_pointwise_forward(const CellShape& shape, std::span<const float> gates,
                            std::span<const float> c, std::span<float> h, std::span<float> c_next,
                            ThreadPool& thread_pool);

// Gradients from the gradients of h and c_next; c_next is what forward gave. dgates may be gates,
// dc may be dc_next.
void lstm_pointwise_backward(const CellShape& shape, std::span<const float> gates,
                             std::span<const float> c, std::span<const float> c_next,
                             std::span<const float> dh, std::span<const float> dc_next,
                             std::span<float> dgates, std::span<float> dc, ThreadPool& thread_pool);

// Three gates r, z, n, in the parts from the input and from the state: r = sigmoid(gx_r + gh_r),
// z = sigmoid(gx_z + gh_z), n = tanh(gx_n + r gh_n), h_next = (1 - z) n + z h. h_next may be h.
void gru_pointwise_forward(const CellShape& shape, std::span<const float> gx,
                           std::span<const float> gh, std::span<const float> h,
                           std::span<float> h_next, ThreadPool& thread_pool);

// dgx may be gx, dgh may be gh, dh may be h or dh_next.
void gru_pointwise_backward(const CellShape& shape, std::span<const float> gx,
                            std::span<const float> gh, std::span<const float> h,
                            std::span<const float> dh_next, std::span<float> dgx,
                            std::span<float> dgh, std::span<float> dh, ThreadPool& thread_pool);

}  // namespace nsop::kernels
