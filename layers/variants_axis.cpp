// The variant `layer` of what works along an axis, of dropout and of the norms.
#include <algorithm>

#include "layers/axis_layers.h"
#include "layers/core/variant.h"
#include "layers/dropout.h"
#include "layers/norm.h"

namespace nsop::layers {
namespace {

Shape n_shape(const Case& c) { return c.shape("n"); }

template <class L>
Variant softmax(const char* op) {
  return layer_variant({
      .op = op,
      .make =
          [](const Case& c) { return std::make_unique<L>(static_cast<int>(c.integer("axis"))); },
      .input = n_shape,
  });
}

const VariantRow softmax_row{softmax<Softmax>("softmax")};
const VariantRow log_softmax_row{softmax<LogSoftmax>("log_softmax")};

bool over_all(const Case& c) { return c.str("axis") == "all"; }

const VariantRow mean_row{layer_variant({
    .op = "mean",
    .make =
        [](const Case& c) {
          return std::make_unique<Mean>(over_all(c) ? 0 : std::stoi(c.str("axis")));
        },
    .input =
        [](const Case& c) {
          return over_all(c) ? Shape{element_count(c.shape("n"))} : c.shape("n");
        },
})};

const VariantRow dropout_row{layer_variant({
    .op = "dropout",
    .make = [](const Case& c) { return std::make_unique<Dropout>(c.number("rate"), 1); },
    .input = n_shape,
    .saved = {{"mask",
               [](const Layer& layer) { return dynamic_cast<const Dropout&>(layer).mask(); }}},
    // The layer draws its own mask; the op's backward pass is given one.
    .restore = {{"mask", [](Layer& layer,
                            ConstFloats mask) { dynamic_cast<Dropout&>(layer).set_mask(mask); }}},
})};

template <class L>
std::map<std::string, std::function<ConstFloats(const Layer&)>> statistics(bool centred) {
  std::map<std::string, std::function<ConstFloats(const Layer&)>> saved;
  const auto spread = [](const Layer& layer) { return dynamic_cast<const L&>(layer).inv_std(); };
  saved.emplace(centred ? "inv_std" : "inv_rms", spread);
  if (centred) {
    saved.emplace("mean", [](const Layer& layer) { return dynamic_cast<const L&>(layer).mean(); });
  }
  return saved;
}

bool trains(const Case& c) { return c.str("mode") == "train"; }

const VariantRow batch_row{layer_variant({
    .op = "batchnorm",
    .make =
        [](const Case& c) {
          return std::make_unique<BatchNorm>(static_cast<size_t>(c.shape("in")[1]));
        },
    .input = [](const Case& c) { return c.shape("in"); },
    .parameters =
        {{"gamma", "weight"}, {"beta", "bias"}, {"mean", "running_mean"}, {"var", "running_var"}},
    .saved = statistics<BatchNorm>(true),
    .training = trains,
})};

const VariantRow group_row{layer_variant({
    .op = "groupnorm",
    .make =
        [](const Case& c) {
          return std::make_unique<GroupNorm>(static_cast<size_t>(c.integer("groups")),
                                             static_cast<size_t>(c.shape("in")[1]));
        },
    .input = [](const Case& c) { return c.shape("in"); },
    .parameters = {{"gamma", "weight"}, {"beta", "bias"}},
    .saved = statistics<GroupNorm>(true),
})};

const VariantRow layer_row{layer_variant({
    .op = "layernorm",
    .make =
        [](const Case& c) {
          const Shape n = c.shape("n");
          return std::make_unique<LayerNorm>(Shape(n.end() - c.integer("last"), n.end()));
        },
    .input = n_shape,
    .parameters = {{"gamma", "weight"}, {"beta", "bias"}},
    .saved = statistics<LayerNorm>(true),
})};

const VariantRow rms_row{layer_variant({
    .op = "rmsnorm",
    .make =
        [](const Case& c) {
          return std::make_unique<RMSNorm>(static_cast<size_t>(c.shape("n").back()));
        },
    .input = n_shape,
    .parameters = {{"gamma", "weight"}},
    .saved = statistics<RMSNorm>(false),
})};

}  // namespace
}  // namespace nsop::layers
