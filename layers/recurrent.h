// Sequences of recurrent cells, and their gradients through time: kernels/recurrent/recurrent.h.
#pragma once

#include <string>

#include "kernels/recurrent/recurrent.h"
#include "layers/core/initializers.h"
#include "layers/core/layer.h"

namespace nsop::layers {

struct RecurrentOptions {
  // Does a sequence go on from the state after the one before? Otherwise each starts from the same
  // one, zeros unless state() was written. A kept state is among buffers(): `hidden`, `cell`.
  bool stateful = false;
  Initializer initializer = Initializer::kUniform;  // with fans of `hidden`
};

// x [steps, batch, in] -> y [steps, batch, hidden], the states after each step; or, one step of a
// cell, x [batch, in] -> y [batch, hidden]. Parameters: `weight` [in, gates * hidden],
// `state_weight` [hidden, gates * hidden] and `bias` [gates * hidden], of a GRU `state_bias` too,
// the gates side by side.
class Recurrent : public Layer {
 public:
  std::string name() const override;
  void init_parameters(Random& random) override;  // sets the state to zero, too

  // A state [batch, hidden], or the gradient of one. `cell` is empty but in an LSTM.
  struct State {
    Floats hidden, cell;
  };
  // Where the next sequence starts; may be written, but not between forward() and its backward().
  State state() const;
  // Where the latest forward() ended: in its y, and in the layer.
  const kernels::RecurrentState& last_state() const { return last_; }
  // After backward(): of the state where the sequence started.
  const State& state_gradient() const { return state_gradient_; }
  // The gradient of last_state().c, for backward(); zeros unless written. The caller adds the
  // gradient of last_state().h to the last step of dy.
  Floats last_cell_gradient() const { return last_cell_gradient_; }

 protected:
  // Sizes of at least 1 (Error).
  Recurrent(std::string kind, kernels::CellKind cell, size_t in, size_t hidden,
            RecurrentOptions options);
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  bool is_lstm() const { return shape_.cell == kernels::CellKind::kLstm; }
  bool is_gru() const { return shape_.cell == kernels::CellKind::kGru; }
  kernels::RecurrentWeights weights() const;
  State take_state(Arena& arena) const;

  std::string kind_;
  RecurrentOptions options_;
  kernels::RecurrentShape shape_;
  State start_;   // where sequences start unless stateful
  State before_;  // where the latest sequence started
  State state_gradient_;
  kernels::RecurrentState last_;
  Floats last_cell_gradient_, saved_, workspace_;
};

// Gates i, f, g, o, each x W + bias + h U: c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o)
// tanh(c') (Hochreiter & Schmidhuber 1997, doi:10.1162/neco.1997.9.8.1735; f by Gers, Schmidhuber &
// Cummins 2000, doi:10.1162/089976600300015015).
class LSTM : public Recurrent {
 public:
  LSTM(size_t in, size_t hidden, RecurrentOptions options = {})
      : Recurrent("LSTM", kernels::CellKind::kLstm, in, hidden, options) {}
};

// Gates r, z, n, of x part = x W + bias and state part = h U + state_bias: r and z are the sigmoid
// of the sum of their parts, n = tanh(x part + r (state part)), h' = (1 - z) n + z h (Cho et al.
// 2014, arXiv:1406.1078, with r behind the product as in cuDNN).
class GRU : public Recurrent {
 public:
  GRU(size_t in, size_t hidden, RecurrentOptions options = {})
      : Recurrent("GRU", kernels::CellKind::kGru, in, hidden, options) {}
};

// h' = tanh(x W + bias + h U) (Elman 1990, doi:10.1207/s15516709cog1402_1).
class RNN : public Recurrent {
 public:
  RNN(size_t in, size_t hidden, RecurrentOptions options = {})
      : Recurrent("RNN", kernels::CellKind::kRnn, in, hidden, options) {}
};

}  // namespace nsop::layers
