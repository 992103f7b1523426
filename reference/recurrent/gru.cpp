// gru: sequences of GRU cells. From the parts of the gates r, z, n from the input, gx = x w + bw,
// and from the state, gh = h u + bu: r = sigmoid(gx_r + gh_r), z = sigmoid(gx_z + gh_z),
// n = tanh(gx_n + r gh_n), h_next = (1 - z) n + z h.
#include "reference/recurrent/pointwise.h"
#include "reference/recurrent/recurrent.h"

namespace nsop::reference {
namespace {

struct Activated {
  Activated(const Gates& x, const Gates& h)
      : r(logistic(x[0] + h[0])), z(logistic(x[1] + h[1])), n(std::tanh(x[2] + r * h[2])) {}
  double r, z, n;
};

UnitState forward(const Gates& x, const Gates& h, UnitState before) {
  const Activated a(x, h);
  return {.h = (1 - a.z) * a.n + a.z * before.h};
}

UnitGradient backward(const Gates& x, const Gates& h, UnitState before, UnitState after) {
  const Activated a(x, h);
  const double dn = after.h * (1 - a.z) * (1 - a.n * a.n);
  const double dr = dn * h[2] * a.r * (1 - a.r);
  const double dz = after.h * (before.h - a.n) * a.z * (1 - a.z);
  UnitGradient d;
  d.from_x = {dr, dz, dn};
  d.from_h = {dr, dz, dn * a.r};
  d.before.h = after.h * a.z;
  return d;
}

const OpRow row{recurrent_op("gru", "A sequence of GRU cells, and gradients through time.",
                             {.gates = 3,
                              .has_c = false,
                              .two_biases = true,
                              .forward = forward,
                              .backward = backward,
                              .forward_flops = 22,
                              .backward_flops = 36})};

}  // namespace
}  // namespace nsop::reference
