// lstm, gru and rnn are one thing with different cells: products of the input and of the state with
// weights, and what a cell makes of them, step by step and, for the gradients, back through time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

// in=TxBxI hidden=H. x is [steps,batch,in], y [steps,batch,hidden], a state [batch,hidden]. The
// weights w [in,gates*hidden] and u [hidden,gates*hidden] have the gates side by side.
struct RecurrentShape {
  RecurrentShape(const Case& c, int64_t gate_count)
      : steps(c.shape("in")[0]),
        batch(c.shape("in")[1]),
        in(c.shape("in")[2]),
        hidden(c.integer("hidden")),
        gates(gate_count),
        forward(c.str("pass") == "forward") {}
  Shape x() const { return {steps, batch, in}; }
  Shape y() const { return {steps, batch, hidden}; }
  Shape state() const { return {batch, hidden}; }
  Shape w() const { return {in, columns()}; }
  Shape u() const { return {hidden, columns()}; }
  Shape bias() const { return {columns()}; }
  int64_t columns() const { return gates * hidden; }
  int64_t state_size() const { return batch * hidden; }

  int64_t steps, batch, in, hidden, gates;
  bool forward;
};

using Gates = std::array<double, 4>;  // of one unit; a cell with fewer leaves the rest

struct UnitState {
  double h = 0;
  double c = 0;  // of a cell that has one
};

// Gradients of the parts of a unit's gates, and of its state before, the products left out.
struct UnitGradient {
  Gates from_x{};
  Gates from_h{};
  UnitState before;
};

// What one unit does with its gates, given in the parts from the input, x w + b, and from the
// state, h u (+ its own bias).
struct Cell {
  int64_t gates = 1;
  bool has_c = false;       // a cell state beside h
  bool two_biases = false;  // bw and bu, else b
  std::function<UnitState(const Gates& from_x, const Gates& from_h, UnitState before)> forward;
  // `after` is the gradient of what forward returns.
  std::function<UnitGradient(const Gates& from_x, const Gates& from_h, UnitState before,
                             UnitState after)>
      backward;
  double forward_flops = 0;  // of a unit, beside the products
  double backward_flops = 0;
};

// The op: forward x, w, u, b (or bw, bu), h0 (, c0) -> y (, c_n); backward the same and dy (, dc_n)
// -> the gradients of all of forward's inputs. What a forward pass may keep for its backward pass
// is not among the inputs, because every library keeps something else: a variant makes it again,
// untimed, when inputs change.
Op recurrent_op(std::string name, std::string summary, const Cell& cell);

}  // namespace nsop::reference
