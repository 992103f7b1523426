#include "kernels/conv/case_shape.h"

#include <cstdint>
#include <vector>

namespace nsop::kernels {
namespace {

ConvAxis axis_of(const Case& c, int64_t in) {
  const auto size = [&c](const char* key) { return static_cast<size_t>(c.integer(key)); };
  return {.in = static_cast<size_t>(in),
          .kernel = size("k"),
          .stride = size("s"),
          .pad = size("p"),
          .dilation = size("d")};
}

}  // namespace

ConvShape conv_shape(const Case& c) {
  const std::vector<int64_t> in = c.shape("in");
  const size_t first = 5 - in.size();  // axis of the shape's third extent
  ConvShape s;
  s.batch = static_cast<size_t>(in[0]);
  s.in_channels = static_cast<size_t>(in[1]);
  s.out_channels = static_cast<size_t>(c.integer("out"));
  s.groups = static_cast<size_t>(c.integer("groups"));
  s.mean = c.has("reduce") && c.str("reduce") == "mean";
  for (size_t i = 2; i < in.size(); ++i) {
    s.axes[first + i - 2] = axis_of(c, in[i]);
  }
  return s;
}

ConvShape adjoint_conv_shape(const Case& c) {
  const std::vector<int64_t> in = c.shape("in");
  const size_t first = 5 - in.size();
  const int64_t extent = c.integer("d") * (c.integer("k") - 1) + 1;
  ConvShape s;
  s.batch = static_cast<size_t>(in[0]);
  s.in_channels = static_cast<size_t>(c.integer("out"));
  s.out_channels = static_cast<size_t>(in[1]);
  s.groups = static_cast<size_t>(c.integer("groups"));
  for (size_t i = 2; i < in.size(); ++i) {
    const int64_t full = (in[i] - 1) * c.integer("s") + extent + c.integer("op");
    s.axes[first + i - 2] = axis_of(c, full - 2 * c.integer("p"));
  }
  return s;
}

}  // namespace nsop::kernels
