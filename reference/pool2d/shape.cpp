#include "reference/pool2d/shape.h"

#include <fmt/format.h>

namespace nsop::reference {
namespace {

int64_t output_extent(int64_t in, const Pool2dShape& s) {
  const int64_t room = in + 2 * s.pad - s.k;
  return room < 0 ? 0 : room / s.stride + 1;
}

}  // namespace

Pool2dShape::Pool2dShape(const Case& op_case)
    : k(op_case.integer("k")),
      stride(op_case.integer("s")),
      pad(op_case.integer("p")),
      forward(op_case.str("pass") == "forward") {
  const Shape in = op_case.shape("in");
  n = in[0];
  c = in[1];
  h = in[2];
  w = in[3];
  oh = output_extent(h, *this);
  ow = output_extent(w, *this);
}

OpSpec pool2d_spec(std::string name, std::string summary) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .params = {pass_param({"forward", "backward"}),
                 {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                 {.name = "k", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                 {.name = "s", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                 {.name = "p", .kind = ParamKind::kIndex, .choices = {}, .absent = {}},
                 range_param()}};
}

void validate_pool2d(const Case& c) {
  constexpr int64_t kLargest = 1 << 20;
  for (const char* key : {"k", "s", "p"}) {
    require(c.integer(key) <= kLargest, c.op(),
            fmt::format("{}={} is too large, expected at most {}", key, c.integer(key), kLargest));
  }
  require_size(c.op(), "x", c.shape("in"));
  const Pool2dShape s(c);
  require(s.pad < s.k, c.op(),
          fmt::format("padding p={} leaves windows of k={} without a pixel, expected p < k", s.pad,
                      s.k));
  require(s.oh >= 1 && s.ow >= 1, c.op(),
          fmt::format("window of {0}x{0} is larger than the padded input of {1}x{2}, expected at "
                      "most that",
                      s.k, s.h + 2 * s.pad, s.w + 2 * s.pad));
  require_size(c.op(), "y", s.y_shape());
}

}  // namespace nsop::reference
