#include "layers/pool2d.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "layers/core/variant.h"

namespace nsop::layers {
namespace {

constexpr const char* kPlanes = "[batch, channels, height, width]";

constexpr const char* kIndexed =
    "[batch, channels, height, width] with planes of at most 16777216 (indices are float32)";

bool has_exact_indices(const Shape& in) { return in[2] * in[3] <= int64_t{1} << 24; }

size_t extent(const Shape& shape, size_t i) { return static_cast<size_t>(shape[i]); }

}  // namespace

Pool2D::Pool2D(std::string kind, Pool2DOptions options)
    : kind_(std::move(kind)), options_(options) {
  if (options_.stride == 0) options_.stride = options_.kernel;
  if (options_.kernel == 0) throw usage_error(name() + ": the kernel must be at least 1");
  if (std::max(options_.kernel, options_.stride) > kLargestSize) {
    throw usage_error(
        fmt::format("{}: kernel and stride must be at most {}", name(), kLargestSize));
  }
  if (options_.pad >= options_.kernel) {
    throw usage_error(fmt::format("{}: expected a padding below the kernel's {}, given {}", name(),
                                  options_.kernel, options_.pad));
  }
}

std::string Pool2D::name() const {
  return fmt::format("{}(k={}, s={}, p={})", kind_, options_.kernel, options_.stride, options_.pad);
}

kernels::Pool2dShape Pool2D::shape_for(const Shape& in) const {
  const kernels::PoolAxis axis{options_.kernel, options_.stride, options_.pad};
  return {.planes = extent(in, 0) * extent(in, 1),
          .height = extent(in, 2),
          .width = extent(in, 3),
          .down = axis,
          .across = axis};
}

Shape Pool2D::infer(const Shape& in) const {
  if (in.size() != 4) refuse(kPlanes, in);
  const kernels::Pool2dShape s = shape_for(in);
  if (std::min(s.height, s.width) + 2 * options_.pad < options_.kernel) {
    refuse(fmt::format("{} with height and width of at least {} with a padding of {}", kPlanes,
                       options_.kernel, options_.pad),
           in);
  }
  return {in[0], in[1], static_cast<int64_t>(s.out_height()), static_cast<int64_t>(s.out_width())};
}

void Pool2D::plan(Arena& arena) {
  ways_ = shape_for(input_shape());
  workspace_ = arena.scratch(kernels::pool2d_workspace_floats(ways_, thread_pool().threads()));
}

Shape MaxPool2D::infer(const Shape& in) const {
  Shape out = Pool2D::infer(in);
  if (!has_exact_indices(in)) refuse(kIndexed, in);
  return out;
}

void MaxPool2D::plan(Arena& arena) {
  Pool2D::plan(arena);
  index_ = arena.take(ways().shape().y_size());
}

void MaxPool2D::do_forward(ConstFloats x, Floats y) {
  kernels::maxpool2d_forward(ways(), x, y, index_, workspace(), thread_pool());
}

void MaxPool2D::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::maxpool2d_backward(ways(), index_, dy, dx, workspace(), thread_pool());
}

void AvgPool2D::do_forward(ConstFloats x, Floats y) {
  kernels::avgpool2d_forward(ways(), x, y, workspace(), thread_pool());
}

void AvgPool2D::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::avgpool2d_backward(ways(), dy, dx, workspace(), thread_pool());
}

AdaptivePool2D::AdaptivePool2D(std::string kind, size_t out_height, size_t out_width)
    : kind_(std::move(kind)) {
  shape_.out_height = out_height;
  shape_.out_width = out_width;
  if (out_height == 0 || out_width == 0) {
    throw usage_error(
        fmt::format("{}({}x{}): sizes must be at least 1", kind_, out_height, out_width));
  }
}

std::string AdaptivePool2D::name() const {
  return fmt::format("{}({}x{})", kind_, shape_.out_height, shape_.out_width);
}

Shape AdaptivePool2D::infer(const Shape& in) const {
  if (in.size() != 4) refuse(kPlanes, in);
  return {in[0], in[1], static_cast<int64_t>(shape_.out_height),
          static_cast<int64_t>(shape_.out_width)};
}

void AdaptivePool2D::plan(Arena&) {
  const Shape& in = input_shape();
  shape_.planes = extent(in, 0) * extent(in, 1);
  shape_.height = extent(in, 2);
  shape_.width = extent(in, 3);
}

void AdaptiveAvgPool2D::plan(Arena& arena) {
  AdaptivePool2D::plan(arena);
  ways_ = shape();
  workspace_ =
      arena.scratch(kernels::adaptive_pool2d_workspace_floats(shape(), thread_pool().threads()));
}

void AdaptiveAvgPool2D::do_forward(ConstFloats x, Floats y) {
  kernels::adaptive_avgpool2d_forward(ways_, x, y, workspace_, thread_pool());
}

void AdaptiveAvgPool2D::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::adaptive_avgpool2d_backward(shape(), dy, dx, workspace_, thread_pool());
}

Shape AdaptiveMaxPool2D::infer(const Shape& in) const {
  Shape out = AdaptivePool2D::infer(in);
  if (!has_exact_indices(in)) refuse(kIndexed, in);
  return out;
}

void AdaptiveMaxPool2D::plan(Arena& arena) {
  AdaptivePool2D::plan(arena);
  index_ = arena.take(shape().y_size());
  workspace_ =
      arena.scratch(kernels::adaptive_maxpool2d_workspace_floats(shape(), thread_pool().threads()));
}

void AdaptiveMaxPool2D::do_forward(ConstFloats x, Floats y) {
  kernels::adaptive_maxpool2d_forward(shape(), x, y, index_, workspace_, thread_pool());
}

void AdaptiveMaxPool2D::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::adaptive_maxpool2d_backward(shape(), index_, dy, dx, thread_pool());
}

Shape GlobalAvgPool2D::infer(const Shape& in) const {
  const Shape out = AdaptiveAvgPool2D::infer(in);
  return {out[0], out[1]};
}

namespace {

size_t pool_size(const Case& c, const char* key) { return static_cast<size_t>(c.integer(key)); }
Shape in_shape(const Case& c) { return c.shape("in"); }

Pool2DOptions pool_options(const Case& c) {
  return {.kernel = pool_size(c, "k"), .stride = pool_size(c, "s"), .pad = pool_size(c, "p")};
}

const VariantRow max_row{layer_variant({
    .op = "maxpool2d",
    .make = [](const Case& c) { return std::make_unique<MaxPool2D>(pool_options(c)); },
    .input = in_shape,
    // Its own forward pass finds the same indices that the op's backward pass is given.
    .saved = {{"index",
               [](const Layer& layer) { return dynamic_cast<const MaxPool2D&>(layer).indices(); }}},
})};
const VariantRow average_row{layer_variant({
    .op = "avgpool2d",
    .make = [](const Case& c) { return std::make_unique<AvgPool2D>(pool_options(c)); },
    .input = in_shape,
})};
const VariantRow adaptive_max_row{layer_variant({
    .op = "adaptive_maxpool2d",
    .make =
        [](const Case& c) {
          const Shape out = c.shape("out");
          return std::make_unique<AdaptiveMaxPool2D>(static_cast<size_t>(out[0]),
                                                     static_cast<size_t>(out[1]));
        },
    .input = in_shape,
    .saved = {{"index",
               [](const Layer& layer) {
                 return dynamic_cast<const AdaptiveMaxPool2D&>(layer).indices();
               }}},
})};
const VariantRow adaptive_row{layer_variant({
    .op = "adaptive_avgpool2d",
    .make = [](const Case& c) -> std::unique_ptr<Layer> {
      const Shape out = c.shape("out");
      if (out[0] == 1 && out[1] == 1) return std::make_unique<GlobalAvgPool2D>();
      return std::make_unique<AdaptiveAvgPool2D>(static_cast<size_t>(out[0]),
                                                 static_cast<size_t>(out[1]));
    },
    .input = in_shape,
})};

}  // namespace
}  // namespace nsop::layers
