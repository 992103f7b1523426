// maxpool1d, avgpool1d, maxpool3d, avgpool3d: pools (reference/pool2d/window_pool.h) over windows
// of lines and volumes. Padding never wins a maximum; the average counts it as zeros, its divisor
// is always k or k*k*k.
#include "reference/pool2d/pool1d3d.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/pool2d/window_pool.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

PoolShape::PoolShape(const Case& c)
    : k(c.integer("k")),
      stride(c.integer("s")),
      pad(c.integer("p")),
      forward(c.str("pass") == "forward") {
  const Shape in = c.shape("in");
  channels = in[0] * in[1];
  y_shape = {in[0], in[1]};
  for (size_t i = 2; i < in.size(); ++i) {
    const int64_t room = in[i] + 2 * pad - k;
    Axis& axis = axes[i + 3 - in.size()];
    axis = {in[i], room < 0 ? 0 : room / stride + 1, k, stride, pad};
    y_shape.push_back(axis.out);
  }
}

int64_t PoolShape::overlap() const {
  int64_t all = 1;
  for (const Axis& axis : axes) all *= (axis.k + axis.stride - 1) / axis.stride;
  return all;
}

namespace {

struct Extent {
  int64_t begin, end;
};

Extent extent_of(const PoolShape::Axis& axis, int64_t out) {
  const int64_t begin = out * axis.stride - axis.pad;
  return {std::max<int64_t>(begin, 0), std::min(begin + axis.k, axis.in)};
}

std::vector<PoolWindow> windows_of(const Case& c) {
  const PoolShape s(c);
  std::vector<PoolWindow> windows;
  for (int64_t oz = 0; oz < s.axes[0].out; ++oz) {
    for (int64_t oy = 0; oy < s.axes[1].out; ++oy) {
      for (int64_t ox = 0; ox < s.axes[2].out; ++ox) {
        const Extent z = extent_of(s.axes[0], oz), y = extent_of(s.axes[1], oy),
                     x = extent_of(s.axes[2], ox);
        windows.push_back({y.begin, y.end, x.begin, x.end, z.begin, z.end});
      }
    }
  }
  return windows;
}

void validate(const Case& c) {
  constexpr int64_t kLargest = 1 << 20;
  for (const char* key : {"k", "s", "p"}) {
    require(c.integer(key) <= kLargest, c.op(),
            fmt::format("{}={} is too large, expected at most {}", key, c.integer(key), kLargest));
  }
  const Shape in = c.shape("in");
  require_size(c.op(), "x", in);
  const PoolShape s(c);
  require(s.pad < s.k, c.op(),
          fmt::format("padding p={} leaves windows of k={} without a pixel, expected p < k", s.pad,
                      s.k));
  for (size_t i = 2; i < in.size(); ++i) {
    require(s.y_shape[i] >= 1, c.op(),
            fmt::format("window of {} is larger than the padded axis of {}, expected at most that",
                        s.k, in[i] + 2 * s.pad));
  }
  require_size(c.op(), "y", s.y_shape);
}

int64_t area_of(const Case& c) { return PoolShape(c).area(); }

WindowPool pool(std::string name, std::string summary, int rank) {
  OpSpec spec{
      .name = std::move(name),
      .summary = std::move(summary),
      .params = {
          pass_param({"forward", "backward"}),
          {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = rank, .absent = {}},
          {.name = "k", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
          {.name = "s", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
          {.name = "p", .kind = ParamKind::kIndex, .choices = {}, .absent = {}},
          range_param()}};
  return {.spec = std::move(spec),
          .validate = validate,
          .y_shape = [](const Case& c) { return PoolShape(c).y_shape; },
          .windows = windows_of,
          .overlap = [](const Case& c) { return PoolShape(c).overlap(); },
          // Those with the padding included.
          .taps =
              [](const Case& c) {
                return static_cast<double>(element_count(PoolShape(c).y_shape)) *
                       static_cast<double>(area_of(c));
              }};
}

const PoolDivisors kWholeWindow{.of = [](const Case& c, const PoolWindow&) { return area_of(c); },
                                .least = area_of,
                                .most = area_of};

const OpRow max_lines{
    max_pool_op(pool("maxpool1d", "Maximum over windows, NCL, with its index; and gradient.", 3))};
const OpRow average_lines{average_pool_op(
    pool("avgpool1d", "Mean over windows, NCL, and its gradient.", 3), kWholeWindow)};
const OpRow max_volumes{max_pool_op(
    pool("maxpool3d", "Maximum over windows, NCDHW, with its index; and gradient.", 5))};
const OpRow average_volumes{average_pool_op(
    pool("avgpool3d", "Mean over windows, NCDHW, and its gradient.", 5), kWholeWindow)};

}  // namespace
}  // namespace nsop::reference
