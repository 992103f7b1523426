// rnn: sequences of plain recurrent cells, h_next = tanh(x w + b + h u).
#include <cmath>

#include "reference/recurrent/recurrent.h"

namespace nsop::reference {
namespace {

UnitState forward(const Gates& x, const Gates& h, UnitState /*before*/) {
  return {.h = std::tanh(x[0] + h[0])};
}

UnitGradient backward(const Gates& x, const Gates& h, UnitState /*before*/, UnitState after) {
  const double next = std::tanh(x[0] + h[0]);
  UnitGradient d;
  d.from_x[0] = d.from_h[0] = after.h * (1 - next * next);
  return d;
}

const OpRow row{recurrent_op("rnn", "A sequence of tanh cells, and gradients through time.",
                             {.gates = 1,
                              .has_c = false,
                              .two_biases = false,
                              .forward = forward,
                              .backward = backward,
                              .forward_flops = 6,
                              .backward_flops = 4})};

}  // namespace
}  // namespace nsop::reference
