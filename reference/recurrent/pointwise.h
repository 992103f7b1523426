// What the pointwise parts of recurrent cells share: the shapes of their gates.
#pragma once

#include <cmath>
#include <string>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

// n=BxH: batch and hidden units.
struct CellShape {
  explicit CellShape(const Case& c)
      : batch(c.shape("n")[0]), hidden(c.shape("n")[1]), forward(c.str("pass") == "forward") {}
  Shape state() const { return {batch, hidden}; }
  Shape gates(int64_t count) const { return {batch, count * hidden}; }
  // Gate number `gate` of `count` of unit h in row b.
  int64_t gate_at(int64_t b, int64_t h, int64_t gate, int64_t count) const {
    return (b * count + gate) * hidden + h;
  }

  int64_t batch, hidden;
  bool forward;
};

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Keys pass, n, range.
inline OpSpec cell_spec(std::string name, std::string summary) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .params = {pass_param({"forward", "backward"}),
                 {.name = "n", .kind = ParamKind::kShape, .choices = {}, .rank = 2, .absent = {}},
                 range_param()}};
}

}  // namespace nsop::reference
