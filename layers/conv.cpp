#include "layers/conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "layers/core/variant.h"

namespace nsop::layers {

using kernels::ConvAxis;
using kernels::ConvPass;
using kernels::ConvShape;

Conv::Conv(size_t rank, size_t in, size_t out, const ConvOptions& options)
    : rank_(rank), in_(in), out_(out), options_(options) {
  const size_t least = std::min({in, out, options.kernel, options.stride, options.dilation});
  if (least == 0 || options.groups == 0) {
    throw usage_error(name() + ": sizes, stride, dilation and groups must be at least 1");
  }
  if (std::max({in, out, options.kernel, options.stride, options.pad, options.dilation}) >
      kLargestSize) {
    throw usage_error(fmt::format("{}: sizes, stride, padding and dilation must be at most {}",
                                  name(), kLargestSize));
  }
  if (in % options.groups != 0 || out % options.groups != 0) {
    throw usage_error(fmt::format("{}: expected groups that divide both channel counts, given {}",
                                  name(), options.groups));
  }
}

std::string Conv::name() const {
  const ConvOptions& o = options_;
  std::string text =
      fmt::format("Conv{}D({}->{}, k={}, s={}, p={}", rank_, in_, out_, o.kernel, o.stride, o.pad);
  if (o.dilation != 1) text += fmt::format(", d={}", o.dilation);
  if (o.groups != 1) text += fmt::format(", groups={}", o.groups);
  if (!o.bias) text += ", no bias";
  if (o.mean) text += ", mean";
  return text + ")";
}

std::string Conv::expected_shape() const {
  constexpr const char* kAxes[] = {"length", "height, width", "depth, height, width"};
  return fmt::format("[batch, {}, {}]", in_, kAxes[rank_ - 1]);
}

ConvShape Conv::shape_for(const Shape& in) const {
  ConvShape s;
  s.batch = static_cast<size_t>(in[0]);
  s.in_channels = in_;
  s.out_channels = out_;
  s.groups = options_.groups;
  s.mean = options_.mean;
  for (size_t i = 0; i < rank_; ++i) {
    s.axes[3 - rank_ + i] = {.in = static_cast<size_t>(in[2 + i]),
                             .kernel = options_.kernel,
                             .stride = options_.stride,
                             .pad = options_.pad,
                             .dilation = options_.dilation};
  }
  return s;
}

Shape Conv::infer(const Shape& in) const {
  if (in.size() != rank_ + 2 || in[1] != static_cast<int64_t>(in_)) refuse(expected_shape(), in);
  const ConvShape s = shape_for(in);
  if (!s.all_axes([](const ConvAxis& axis) { return axis.in + 2 * axis.pad >= axis.extent(); })) {
    refuse(fmt::format("{} of at least {} with a padding of {}", expected_shape(),
                       s.width().extent(), options_.pad),
           in);
  }
  Shape out = {in[0], static_cast<int64_t>(out_)};
  if (options_.mean) return out;
  for (size_t i = 3 - rank_; i < 3; ++i) out.push_back(static_cast<int64_t>(s.axes[i].out()));
  return out;
}

void Conv::plan(Arena& arena) {
  plan_ = kernels::ConvPlan(shape_for(input_shape()), kernels::ConvChoice::kRule);
  Shape weight = {static_cast<int64_t>(out_), static_cast<int64_t>(in_ / options_.groups)};
  weight.resize(2 + rank_, static_cast<int64_t>(options_.kernel));
  add_parameter("weight", weight, arena);
  if (options_.bias) add_parameter("bias", {static_cast<int64_t>(out_)}, arena);
  size_t floats = 0;
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    floats = std::max(floats, plan_.workspace_floats(pass, thread_pool().threads()));
  }
  workspace_ = arena.scratch(floats);
}

void Conv::init_parameters(Random& random) {
  const ConvShape& s = plan_.shape();
  const Fan fan{s.patch(), s.group_out() * s.taps()};
  initialize(options_.initializer, fan, parameters()[0].value, random);
  if (options_.bias) initialize_bias(options_.initializer, fan, parameters()[1].value, random);
}

std::string Conv::algorithms() const {
  return fmt::format("forward: {}; dx: {}; dw: {}", plan_.algorithm(ConvPass::kForward),
                     plan_.algorithm(ConvPass::kData), plan_.algorithm(ConvPass::kWeights));
}

void Conv::do_forward(ConstFloats x, Floats y) {
  const ConstFloats bias = options_.bias ? value(1) : ConstFloats();
  plan_.forward(x, value(0), bias, y, workspace_, thread_pool());
}

void Conv::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  const Floats dbias = options_.bias ? gradient(1) : Floats();
  if (!dx.empty()) plan_.backward_data(value(0), dy, dx, workspace_, thread_pool());
  plan_.backward_weights(x, dy, gradient(0), dbias, workspace_, thread_pool());
}

namespace {

size_t conv_size(const Case& c, const char* key) { return static_cast<size_t>(c.integer(key)); }

template <class L>
Variant conv(const char* op) {
  return layer_variant({
      .op = op,
      .make = [](const Case& c) -> std::unique_ptr<Layer> {
        ConvOptions options;
        options.kernel = conv_size(c, "k");
        options.stride = conv_size(c, "s");
        options.pad = conv_size(c, "p");
        options.dilation = conv_size(c, "d");
        options.groups = conv_size(c, "groups");
        options.bias = c.flag("bias");
        options.mean = c.has("reduce") && c.str("reduce") == "mean";
        return std::make_unique<L>(static_cast<size_t>(c.shape("in")[1]), conv_size(c, "out"),
                                   options);
      },
      .input = [](const Case& c) { return c.shape("in"); },
      .parameters = {{"w", "weight"}, {"b", "bias"}},
      .unsupported = whole_backward,
  });
}

const VariantRow conv1d_row{conv<Conv1D>("conv1d")};
const VariantRow conv2d_row{conv<Conv2D>("conv2d")};
const VariantRow conv3d_row{conv<Conv3D>("conv3d")};

}  // namespace
}  // namespace nsop::layers
