#include "reference/conv2d_shape.h"

namespace nsop::reference {
namespace {

int64_t output_extent(int64_t in, const Conv2dShape& s) {
  const int64_t room = in + 2 * s.pad - (s.dilation * (s.k - 1) + 1);
  return room < 0 ? 0 : room / s.stride + 1;
}

}  // namespace

Conv2dShape::Conv2dShape(const Case& op_case)
    : out(op_case.integer("out")),
      k(op_case.integer("k")),
      stride(op_case.integer("s")),
      pad(op_case.integer("p")),
      dilation(op_case.integer("d")),
      groups(op_case.integer("groups")),
      bias(op_case.flag("bias")),
      mean(op_case.str("reduce") == "mean"),
      pass(op_case.str("pass")) {
  const Shape in = op_case.shape("in");
  n = in[0];
  c = in[1];
  h = in[2];
  w = in[3];
  oh = output_extent(h, *this);
  ow = output_extent(w, *this);
}

}  // namespace nsop::reference
