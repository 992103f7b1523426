// The variant `layer` of dense and of the element-wise activations.
#include "layers/activations.h"
#include "layers/core/variant.h"
#include "layers/dense.h"

namespace nsop::layers {
namespace {

std::unique_ptr<Layer> make_dense(const Case& c) {
  DenseOptions options;
  options.bias = c.flag("bias");
  options.out_by_in = c.str("w") == "oi";
  return std::make_unique<Dense>(static_cast<size_t>(c.shape("in")[1]),
                                 static_cast<size_t>(c.integer("out")), options);
}

const VariantRow dense_row{layer_variant({
    .op = "dense",
    .make = make_dense,
    .input = [](const Case& c) { return c.shape("in"); },
    .parameters = {{"w", "weight"}, {"b", "bias"}},
    .unsupported = whole_backward,
})};

Variant activation(const char* op, std::function<std::unique_ptr<Layer>(const Case&)> make) {
  return layer_variant({
      .op = op,
      .make = std::move(make),
      .input = [](const Case& c) { return c.shape("n"); },
  });
}

template <class L>
Variant plain(const char* op) {
  return activation(op, [](const Case&) { return std::make_unique<L>(); });
}

template <class L>
Variant with_alpha(const char* op) {
  return activation(
      op, [](const Case& c) { return std::make_unique<L>(static_cast<float>(c.number("alpha"))); });
}

const VariantRow relu_row{plain<ReLU>("relu")};
const VariantRow tanh_row{plain<Tanh>("tanh")};
const VariantRow sigmoid_row{plain<Sigmoid>("sigmoid")};
const VariantRow relu6_row{plain<ReLU6>("relu6")};
const VariantRow silu_row{plain<SiLU>("silu")};
const VariantRow softplus_row{plain<Softplus>("softplus")};
const VariantRow leaky_relu_row{with_alpha<LeakyReLU>("leaky_relu")};
const VariantRow elu_row{with_alpha<ELU>("elu")};
const VariantRow gelu_row{activation("gelu", [](const Case& c) {
  return std::make_unique<GELU>(c.str("form") == "tanh" ? GeluForm::kTanh : GeluForm::kErf);
})};

}  // namespace
}  // namespace nsop::layers
