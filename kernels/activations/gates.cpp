// relu6 leaky_relu elu gelu silu softplus: 8 bytes per element.
#include "kernels/activations/gates.h"

#include <string>

#include "kernels/runtime/step.h"
#include "kernels/runtime/streaming.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/gates.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activations/gates-inl.h"
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

UnaryPart gate_part_of(Gate gate) {
  switch (gate) {
    case Gate::kRelu6:
      return map_unary<Relu6>;
    case Gate::kLeakyRelu:
      return map_unary<LeakyRelu>;
    case Gate::kElu:
      return map_unary<Elu>;
    case Gate::kGeluTanh:
      return map_unary<GeluTanh>;
    case Gate::kGeluErf:
      return map_unary<GeluErf>;
    case Gate::kSilu:
      return map_unary<Silu>;
    case Gate::kSoftplus:
      return map_unary<Softplus>;
  }
  return nullptr;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(gate_part_of);

size_t least(Gate gate) {
  return gate == Gate::kRelu6 || gate == Gate::kLeakyRelu ? kArithmeticElements : kFunctionElements;
}

}  // namespace

UnaryPart gate_part(Gate gate) { return HWY_DYNAMIC_DISPATCH(gate_part_of)(gate); }

void gate_forward(Gate gate, float alpha, std::span<const float> x, std::span<float> y,
                  Pool& pool) {
  run_unary(gate_part(gate), x, y, pool, least(gate), {alpha});
}

void gate_backward(Gate gate, float alpha, std::span<const float> x, std::span<const float> dy,
                   std::span<float> dx, Pool& pool) {
  run_binary(gate_gradient_part(gate), x, dy, dx, pool, least(gate), {alpha});
}

namespace {

Variant gate_variant(const std::string& name, Gate (*gate_of)(const Case&)) {
  const auto prepare = [gate_of](const StepRequest& request) -> std::unique_ptr<Step> {
    const Case& c = request.op_case;
    const Gate gate = gate_of(c);
    const float alpha = c.has("alpha") ? static_cast<float>(c.number("alpha")) : 0;
    if (c.str("pass") == "forward") {
      return make_step(request, 0, single_pass(request), [gate, alpha](StepBuffers& b) {
        gate_forward(gate, alpha, b.in[0], b.out[0], *b.pool);
      });
    }
    return make_step(request, 0, single_pass(request), [gate, alpha](StepBuffers& b) {
      gate_backward(gate, alpha, b.in[0], b.in[1], b.out[0], *b.pool);
    });
  };
  return hwy_variant(name, "one pass over vectors, split over threads", prepare);
}

template <Gate kGate>
Gate constant(const Case& /*c*/) {
  return kGate;
}
Gate gelu_of(const Case& c) { return c.str("form") == "tanh" ? Gate::kGeluTanh : Gate::kGeluErf; }

const VariantRow relu6_row{gate_variant("relu6", constant<Gate::kRelu6>)};
const VariantRow leaky_relu_row{gate_variant("leaky_relu", constant<Gate::kLeakyRelu>)};
const VariantRow elu_row{gate_variant("elu", constant<Gate::kElu>)};
const VariantRow gelu_row{gate_variant("gelu", gelu_of)};
const VariantRow silu_row{gate_variant("silu", constant<Gate::kSilu>)};
const VariantRow softplus_row{gate_variant("softplus", constant<Gate::kSoftplus>)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
