#include "reference/conv/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/spec/spec.h"
#include "reference/spec/weighted.h"

namespace nsop::reference {
namespace {

int64_t output_extent(const ConvAxis& axis) {
  const int64_t room = axis.in + 2 * axis.pad - axis.extent();
  return room < 0 ? 0 : room / axis.stride + 1;
}

ConvShape common(const Case& c, int64_t rank) {
  ConvShape s;
  s.rank = rank;
  s.n = c.shape("in")[0];
  s.bias = c.flag("bias");
  s.pass = c.str("pass");
  for (int64_t i = 3 - rank; i < 3; ++i) {
    s.axes[i].k = c.integer("k");
    s.axes[i].stride = c.integer("s");
    s.axes[i].pad = c.integer("p");
  }
  return s;
}

}  // namespace

std::vector<ParamSpec> conv_params(int rank, std::vector<ParamSpec> more) {
  std::vector<ParamSpec> params = {
      weighted_pass_param(),
      {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 2 + rank, .absent = {}},
      param("out", ParamKind::kCount),
      param("k", ParamKind::kCount),
      param("s", ParamKind::kCount),
      param("p", ParamKind::kIndex),
      param("bias", ParamKind::kFlag)};
  std::ranges::move(more, std::back_inserter(params));
  params.push_back(range_param());
  return params;
}

void require_moderate(const Case& c, std::initializer_list<const char*> keys) {
  constexpr int64_t kLargest = 1 << 20;
  for (const char* key : keys) {
    require(c.integer(key) <= kLargest, c.op(),
            fmt::format("{}={} is too large, expected at most {}", key, c.integer(key), kLargest));
  }
  require_size(c.op(), "x", c.shape("in"));
  require_size(c.op(), "b", {c.integer("out")});
}

Shape ConvShape::shape(int64_t first, int64_t second, int64_t ConvAxis::*extent) const {
  Shape shape = {first, second};
  for (int64_t i = 3 - rank; i < 3; ++i) shape.push_back(axes[i].*extent);
  return shape;
}

ConvShape conv_shape(const Case& c) {
  const Shape in = c.shape("in");
  const auto rank = static_cast<int64_t>(in.size()) - 2;
  ConvShape s = common(c, rank);
  s.c = in[1];
  s.out = c.integer("out");
  s.groups = c.integer("groups");
  s.mean = c.has("reduce") && c.str("reduce") == "mean";
  for (int64_t i = 0; i < rank; ++i) {
    ConvAxis& axis = s.axes[3 - rank + i];
    axis.in = in[2 + i];
    axis.dilation = c.integer("d");
    axis.out = output_extent(axis);
  }
  return s;
}

ConvShape transposed_conv_shape(const Case& c) {
  const Shape in = c.shape("in");
  const auto rank = static_cast<int64_t>(in.size()) - 2;
  ConvShape s = common(c, rank);
  s.c = c.integer("out");
  s.out = in[1];
  s.groups = c.integer("groups");
  for (int64_t i = 0; i < rank; ++i) {
    ConvAxis& axis = s.axes[3 - rank + i];
    axis.out = in[2 + i];
    axis.dilation = c.integer("d");
    axis.in = (axis.out - 1) * axis.stride - 2 * axis.pad + axis.extent() + c.integer("op");
  }
  return s;
}

}  // namespace nsop::reference
