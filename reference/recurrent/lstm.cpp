// lstm: sequences of LSTM cells. From the gates i, f, g, o = x w + b + h u:
// c_next = sigmoid(f) c + sigmoid(i) tanh(g), h_next = sigmoid(o) tanh(c_next).
#include "reference/recurrent/pointwise.h"
#include "reference/recurrent/recurrent.h"

namespace nsop::reference {
namespace {

struct Activated {
  Activated(const Gates& x, const Gates& h, double c)
      : i(logistic(x[0] + h[0])),
        f(logistic(x[1] + h[1])),
        g(std::tanh(x[2] + h[2])),
        o(logistic(x[3] + h[3])),
        next(f * c + i * g) {}
  double i, f, g, o, next;
};

UnitState forward(const Gates& x, const Gates& h, UnitState before) {
  const Activated a(x, h, before.c);
  return {.h = a.o * std::tanh(a.next), .c = a.next};
}

UnitGradient backward(const Gates& x, const Gates& h, UnitState before, UnitState after) {
  const Activated a(x, h, before.c);
  const double t = std::tanh(a.next);
  const double dnext = after.c + after.h * a.o * (1 - t * t);
  UnitGradient d;
  d.from_x = {dnext * a.g * a.i * (1 - a.i), dnext * before.c * a.f * (1 - a.f),
              dnext * a.i * (1 - a.g * a.g), after.h * t * a.o * (1 - a.o)};
  d.from_h = d.from_x;
  d.before.c = dnext * a.f;
  return d;
}

const OpRow row{recurrent_op("lstm", "A sequence of LSTM cells, and gradients through time.",
                             {.gates = 4,
                              .has_c = true,
                              .two_biases = false,
                              .forward = forward,
                              .backward = backward,
                              .forward_flops = 28,
                              .backward_flops = 44})};

}  // namespace
}  // namespace nsop::reference
