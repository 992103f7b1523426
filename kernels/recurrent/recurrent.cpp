#include "kernels/recurrent/recurrent.h"

#include <algorithm>
#include <cassert>

#include "kernels/activations/tanh.h"
#include "kernels/elementwise/binary.h"
#include "kernels/gemm/dense.h"
#include "kernels/gemm/gemm.h"
#include "kernels/recurrent/cell_pointwise.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

CellShape cell_shape(const RecurrentShape& s) { return {s.batch, s.hidden}; }

// The states h [batch,hidden] times u; of a single step and of all but one.
DenseShape state_product(const RecurrentShape& s, size_t steps) {
  return {steps * s.batch, s.hidden, s.columns(), false};
}
DenseShape input_product(const RecurrentShape& s) { return {s.rows(), s.in, s.columns(), false}; }

size_t product_floats(const RecurrentShape& s, int threads) {
  size_t floats = std::max(dense_workspace_floats(input_product(s), threads),
                           dense_workspace_floats(state_product(s, 1), threads));
  if (s.steps > 1) {
    floats = std::max(floats, dense_workspace_floats(state_product(s, s.steps - 1), threads));
  }
  return aligned_floats(floats);
}

// Part `step` of a tensor [steps, ...].
template <class Span>
Span part(Span all, size_t step, size_t size) {
  return all.subspan(step * size, size);
}

// Where forward leaves what backward needs.
//   kLstm: gates [steps,batch,4 hidden], c [steps,batch,hidden]
//   kGru: the gates' parts from x and from h, [steps,batch,3 hidden] each
//   kRnn: nothing; its gates need a place during forward only
template <class Span>
struct Saved {
  Saved(const RecurrentShape& s, Span all)
      : gates(all.first(s.rows() * s.columns())), rest(all.subspan(gates.size())) {}
  Span gates;
  Span rest;
};

In state_before(const RecurrentShape& s, const RecurrentState& before, In y, size_t step) {
  return step == 0 ? before.h : part(y, step - 1, s.state_size());
}

// out [batch,columns] = or += h u.
Gemm state_gemm(const RecurrentShape& s, const RecurrentWeights& weights, In h, Out out) {
  Gemm g = dense_forward_gemm(state_product(s, 1));
  g.a = h.data();
  g.b = weights.u.data();
  g.c = out.data();
  return g;
}

void forward_step(const RecurrentShape& s, const RecurrentWeights& weights,
                  const RecurrentState& before, Out y, const Saved<Out>& saved, size_t step,
                  Out workspace, ThreadPool& thread_pool) {
  const size_t size = s.state_size();
  const In h = state_before(s, before, y, step);
  const Out gates = part(saved.gates, step, s.batch * s.columns());
  const Out next = part(y, step, size);
  if (s.cell == CellKind::kGru) {
    const Out from_h = part(saved.rest, step, gates.size());
    Gemm g = state_gemm(s, weights, h, from_h);
    g.column_bias = weights.bu.data();
    gemm(g, workspace, thread_pool);
    gru_pointwise_forward(cell_shape(s), gates, from_h, h, next, thread_pool);
    return;
  }
  Gemm g = state_gemm(s, weights, h, gates);
  g.accumulate = true;
  gemm(g, workspace, thread_pool);
  if (s.cell == CellKind::kRnn) return tanh_forward(gates, next, thread_pool);
  const In c = step == 0 ? before.c : In(part(saved.rest, step - 1, size));
  lstm_pointwise_forward(cell_shape(s), gates, c, next, part(saved.rest, step, size), thread_pool);
}

// The parts of the workspace of backward.
struct Scratch {
  Scratch(const RecurrentShape& s, Out all, int threads) {
    size_t next = 0;
    const auto take = [&](size_t floats) {
      const Out taken = all.subspan(next, floats);
      next += aligned_floats(floats);
      return taken;
    };
    products = take(product_floats(s, threads));
    dgates = take(s.rows() * s.columns());
    if (s.cell == CellKind::kGru) dgates_h = take(s.rows() * s.columns());
    dh = take(s.state_size());
    dc = take(s.state_size());
  }
  const Out& from_h() const { return dgates_h.empty() ? dgates : dgates_h; }

  Out products;
  Out dgates, dgates_h;  // [steps,batch,columns]; only a GRU has dgates_h apart
  Out dh, dc;            // of the states after a step, then of those before
};

// From dh and dc after the step to the gradients of its gates, and to dh and dc before it as far as
// they don't come from the products.
void cell_backward(const RecurrentShape& s, const RecurrentBackward& t, const Scratch& scratch,
                   size_t step, ThreadPool& thread_pool) {
  const size_t size = s.state_size();
  const size_t gates_size = s.batch * s.columns();
  const Out dgates = part(scratch.dgates, step, gates_size);
  const In h = state_before(s, t.before, t.y, step);
  if (s.cell == CellKind::kRnn) {
    return tanh_backward(part(t.y, step, size), scratch.dh, dgates, thread_pool);
  }
  const Saved<In> saved(s, t.saved);
  const In gates = part(saved.gates, step, gates_size);
  if (s.cell == CellKind::kGru) {
    return gru_pointwise_backward(cell_shape(s), gates, part(saved.rest, step, gates_size), h,
                                  scratch.dh, dgates, part(scratch.dgates_h, step, gates_size),
                                  scratch.dh, thread_pool);
  }
  const In c = step == 0 ? t.before.c : part(saved.rest, step - 1, size);
  lstm_pointwise_backward(cell_shape(s), gates, c, part(saved.rest, step, size), scratch.dh,
                          scratch.dc, dgates, scratch.dc, thread_pool);
}

// dh = or += dgates u^T of one step.
void state_backward(const RecurrentShape& s, const RecurrentWeights& weights, In dgates, Out dh,
                    Out workspace, ThreadPool& thread_pool) {
  Gemm g = dense_data_gemm(state_product(s, 1));
  g.a = dgates.data();
  g.b = weights.u.data();
  g.c = dh.data();
  g.accumulate = s.cell == CellKind::kGru;
  gemm(g, workspace, thread_pool);
}

// du = the sum over steps of h^T dgates: the state before the sequence, then all of y but the last.
void state_weights_backward(const RecurrentShape& s, const RecurrentBackward& t, Out du, Out dbu,
                            const Scratch& scratch, ThreadPool& thread_pool) {
  const In dgates = scratch.from_h();
  const size_t first = s.batch * s.columns();
  dense_backward_weights(state_product(s, 1), t.before.h, dgates.first(first), du, {},
                         scratch.products, thread_pool);
  if (s.steps > 1) {
    Gemm g = dense_weights_gemm(state_product(s, s.steps - 1));
    g.a = t.y.data();
    g.b = dgates.data() + first;
    g.c = du.data();
    g.accumulate = true;
    gemm(g, scratch.products, thread_pool);
  }
  if (!dbu.empty()) dense_backward_bias(input_product(s), dgates, dbu, thread_pool);
}

}  // namespace

size_t recurrent_saved_floats(const RecurrentShape& s) {
  const size_t gates = s.rows() * s.columns();
  if (s.cell == CellKind::kRnn) return gates;
  return gates + (s.cell == CellKind::kLstm ? s.rows() * s.hidden : gates);
}

size_t recurrent_workspace_floats(const RecurrentShape& s, int threads) {
  const size_t gates = aligned_floats(s.rows() * s.columns());
  return product_floats(s, threads) + (s.cell == CellKind::kGru ? 2 : 1) * gates +
         2 * aligned_floats(s.state_size());
}

void recurrent_forward(const RecurrentShape& s, const RecurrentWeights& weights, In x,
                       const RecurrentState& before, Out y, Out saved, Out workspace,
                       ThreadPool& thread_pool) {
  assert(x.size() == s.rows() * s.in && y.size() == s.rows() * s.hidden);
  assert(saved.size() == recurrent_saved_floats(s));
  const Saved<Out> kept(s, saved);
  dense_forward(input_product(s), x, weights.w, weights.b, kept.gates, workspace, thread_pool);
  for (size_t step = 0; step < s.steps; ++step) {
    forward_step(s, weights, before, y, kept, step, workspace, thread_pool);
  }
}

In recurrent_last_cell(const RecurrentShape& s, In saved) { return saved.last(s.state_size()); }

void recurrent_backward(const RecurrentShape& s, const RecurrentWeights& weights,
                        const RecurrentBackward& t, const RecurrentGradients& gradients,
                        Out workspace, ThreadPool& thread_pool) {
  const Scratch scratch(s, workspace, thread_pool.threads());
  std::fill(scratch.dc.begin(), scratch.dc.end(), 0.0f);
  std::copy(t.dc.begin(), t.dc.end(), scratch.dc.begin());
  const size_t size = s.state_size();
  for (size_t step = s.steps; step-- > 0;) {
    const In dy = part(t.dy, step, size);
    if (step + 1 == s.steps) {
      std::copy(dy.begin(), dy.end(), scratch.dh.begin());
    } else {
      binary(Binary::kAdd, scratch.dh, dy, scratch.dh, thread_pool);
    }
    cell_backward(s, t, scratch, step, thread_pool);
    if (step == 0 && t.dbefore.h.empty()) break;
    state_backward(s, weights, part(In(scratch.from_h()), step, s.batch * s.columns()), scratch.dh,
                   scratch.products, thread_pool);
  }
  std::copy_n(scratch.dh.begin(), t.dbefore.h.size(), t.dbefore.h.begin());
  std::copy_n(scratch.dc.begin(), t.dbefore.c.size(), t.dbefore.c.begin());
  if (!t.dx.empty()) {
    dense_backward_data(input_product(s), weights.w, scratch.dgates, t.dx, scratch.products,
                        thread_pool);
  }
  dense_backward_weights(input_product(s), t.x, scratch.dgates, gradients.w, gradients.b,
                         scratch.products, thread_pool);
  state_weights_backward(s, t, gradients.u, gradients.bu, scratch, thread_pool);
}

std::string recurrent_algorithm(const RecurrentShape& s) {
  return "x: " + gemm_algorithm(dense_forward_gemm(input_product(s))) +
         "; h: " + gemm_algorithm(dense_forward_gemm(state_product(s, 1)));
}

}  // namespace nsop::kernels
