// relu6 leaky_relu elu gelu silu softplus: 8 bytes per element.
#include "kernels/activations/activation.h"

#include <string>

#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/activation.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activations/activation-inl.h"
#include "kernels/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Relu6 {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    return min_keep_nan(d, hn::Set(d, 6.0f), max_keep_nan(d, hn::Zero(d), x));
  }
};

struct LeakyRelu {
  FloatVec alpha;
  HWY_INLINE explicit LeakyRelu(const ElementwiseArgs& args)
      : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    return select(d, hn::Gt(x, hn::Zero(d)), x, hn::Mul(alpha, x));
  }
};

struct Elu {
  FloatVec alpha;
  HWY_INLINE explicit Elu(const ElementwiseArgs& args) : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return elu(d, x, alpha); }
};

struct GeluTanh {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return gelu_tanh(d, x); }
};

struct GeluErf {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return gelu_erf(d, x); }
};

struct Silu {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return silu(d, x); }
};

struct Softplus {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return softplus(d, x); }
};

UnaryPart activation_part_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu6:
      return map_unary<Relu6>;
    case Activation::kLeakyRelu:
      return map_unary<LeakyRelu>;
    case Activation::kElu:
      return map_unary<Elu>;
    case Activation::kGeluTanh:
      return map_unary<GeluTanh>;
    case Activation::kGeluErf:
      return map_unary<GeluErf>;
    case Activation::kSilu:
      return map_unary<Silu>;
    case Activation::kSoftplus:
      return map_unary<Softplus>;
  }
  return nullptr;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(activation_part_of);

size_t least(Activation activation) {
  return activation == Activation::kRelu6 || activation == Activation::kLeakyRelu
             ? kArithmeticElements
             : kFunctionElements;
}

}  // namespace

UnaryPart activation_part(Activation activation) {
  return HWY_DYNAMIC_DISPATCH(activation_part_of)(activation);
}

void activation_forward(Activation activation, float alpha, std::span<const float> x,
                        std::span<float> y, ThreadPool& thread_pool) {
  run_unary(activation_part(activation), x, y, thread_pool, least(activation), {alpha});
}

void activation_backward(Activation activation, float alpha, std::span<const float> x,
                         std::span<const float> dy, std::span<float> dx, ThreadPool& thread_pool) {
  run_binary(activation_gradient_part(activation), x, dy, dx, thread_pool, least(activation),
             {alpha});
}

namespace {

Variant activation_row(const std::string& name, Activation (*activation_of)(const Case&)) {
  const auto prepare = [activation_of](const StepRequest& request) -> std::unique_ptr<Step> {
    const Case& c = request.op_case;
    const Activation activation = activation_of(c);
    const float alpha = c.has("alpha") ? static_cast<float>(c.number("alpha")) : 0;
    if (c.str("pass") == "forward") {
      return make_step(request, 0, single_pass(request), [activation, alpha](StepBuffers& b) {
        activation_forward(activation, alpha, b.in[0], b.out[0], *b.thread_pool);
      });
    }
    return make_step(request, 0, single_pass(request), [activation, alpha](StepBuffers& b) {
      activation_backward(activation, alpha, b.in[0], b.in[1], b.out[0], *b.thread_pool);
    });
  };
  return hwy_variant(name, "one pass over vectors, split over threads", prepare);
}

template <Activation kActivation>
Activation constant(const Case& /*c*/) {
  return kActivation;
}
Activation gelu_of(const Case& c) {
  return c.str("form") == "tanh" ? Activation::kGeluTanh : Activation::kGeluErf;
}

const VariantRow relu6_row{activation_row("relu6", constant<Activation::kRelu6>)};
const VariantRow leaky_relu_row{activation_row("leaky_relu", constant<Activation::kLeakyRelu>)};
const VariantRow elu_row{activation_row("elu", constant<Activation::kElu>)};
const VariantRow gelu_row{activation_row("gelu", gelu_of)};
const VariantRow silu_row{activation_row("silu", constant<Activation::kSilu>)};
const VariantRow softplus_row{activation_row("softplus", constant<Activation::kSoftplus>)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
