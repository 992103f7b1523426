// The variant `layer` of convolutions and pools.
#include "layers/conv.h"
#include "layers/core/variant.h"
#include "layers/pool2d.h"

namespace nsop::layers {
namespace {

size_t size(const Case& c, const char* key) { return static_cast<size_t>(c.integer(key)); }
Shape in_shape(const Case& c) { return c.shape("in"); }

template <class L>
Variant conv(const char* op) {
  return layer_variant({
      .op = op,
      .make = [](const Case& c) -> std::unique_ptr<Layer> {
        ConvOptions options;
        options.kernel = size(c, "k");
        options.stride = size(c, "s");
        options.pad = size(c, "p");
        options.dilation = size(c, "d");
        options.groups = size(c, "groups");
        options.bias = c.flag("bias");
        options.mean = c.has("reduce") && c.str("reduce") == "mean";
        return std::make_unique<L>(static_cast<size_t>(c.shape("in")[1]), size(c, "out"), options);
      },
      .input = in_shape,
      .parameters = {{"w", "weight"}, {"b", "bias"}},
      .unsupported = whole_backward,
  });
}

const VariantRow conv1d_row{conv<Conv1D>("conv1d")};
const VariantRow conv2d_row{conv<Conv2D>("conv2d")};
const VariantRow conv3d_row{conv<Conv3D>("conv3d")};

Pool2DOptions pool_options(const Case& c) {
  return {.kernel = size(c, "k"), .stride = size(c, "s"), .pad = size(c, "p")};
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
