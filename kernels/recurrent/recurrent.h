// Sequences of recurrent cells and their gradients through time: products, and between them what
// the cell does with its gates (kernels/recurrent/cell_pointwise.h). Tensors are contiguous
// float32: x [steps, batch, in], y [steps, batch, hidden], states [batch, hidden]; weights w [in,
// columns] and u [hidden, columns], biases [columns], with the gates side by side in the columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

enum class CellKind {
  kLstm,  // gates i, f, g, o
  kGru,   // gates r, z, n
  kRnn,   // h_next = tanh(x w + b + h u)
};

struct RecurrentShape {
  CellKind cell = CellKind::kLstm;
  size_t steps = 0;
  size_t batch = 0;
  size_t in = 0;
  size_t hidden = 0;

  size_t gates() const { return cell == CellKind::kLstm ? 4 : cell == CellKind::kGru ? 3 : 1; }
  size_t columns() const { return gates() * hidden; }
  size_t state_size() const { return batch * hidden; }
  size_t rows() const { return steps * batch; }
};

struct RecurrentWeights {
  std::span<const float> w, u;
  std::span<const float> b;   // added to x w
  std::span<const float> bu;  // added to h u: kGru only, empty otherwise
};

struct RecurrentGradients {
  std::span<float> w, u, b, bu;  // of the sizes of the weights
};

struct RecurrentState {
  std::span<const float> h;
  std::span<const float> c;  // kLstm only, empty otherwise
};

struct RecurrentStateGradient {
  std::span<float> h;
  std::span<float> c;
};

// Floats that forward writes and backward reads: gates before activation and cell states.
size_t recurrent_saved_floats(const RecurrentShape& shape);

// Floats of workspace (64-byte aligned) that is enough for both passes.
size_t recurrent_workspace_floats(const RecurrentShape& shape, int threads);

// The last of y's states is the next sequence's h; the next sequence's c is recurrent_last_cell.
// Every element of `saved` and y is overwritten.
void recurrent_forward(const RecurrentShape& shape, const RecurrentWeights& weights,
                       std::span<const float> x, const RecurrentState& before, std::span<float> y,
                       std::span<float> saved, std::span<float> workspace, ThreadPool& thread_pool);

// Of kLstm: where forward left the cell state after the last step.
std::span<const float> recurrent_last_cell(const RecurrentShape& shape,
                                           std::span<const float> saved);

// What forward was given and gave, and the gradients of what it gave. dc is the gradient of the
// last cell state (kLstm; empty: zero). All outputs are overwritten; an empty dx, dbefore.h or
// dbefore.c isn't wanted.
struct RecurrentBackward {
  std::span<const float> x;
  RecurrentState before;
  std::span<const float> y;
  std::span<const float> saved;
  std::span<const float> dy;
  std::span<const float> dc;
  std::span<float> dx;
  RecurrentStateGradient dbefore;
};
void recurrent_backward(const RecurrentShape& shape, const RecurrentWeights& weights,
                        const RecurrentBackward& tensors, const RecurrentGradients& gradients,
                        std::span<float> workspace, ThreadPool& thread_pool);

// How the products are done on the current target.
std::string recurrent_algorithm(const RecurrentShape& shape);

}  // namespace nsop::kernels
